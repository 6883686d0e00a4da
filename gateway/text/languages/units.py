"""Symbols of units, the same in every language."""

# Their names in the Unicode locale data.
UNITS = {
    **{"kg": "mass-kilogram", "g": "mass-gram", "mg": "mass-milligram", "lb": "mass-pound", "lbs": "mass-pound"},
    **{"oz": "mass-ounce", "km": "length-kilometer", "m": "length-meter", "cm": "length-centimeter"},
    **{"mm": "length-millimeter", "mi": "length-mile", "ft": "length-foot", "yd": "length-yard"},
    **{"km/h": "speed-kilometer-per-hour", "kph": "speed-kilometer-per-hour", "kmh": "speed-kilometer-per-hour"},
    **{"km/jam": "speed-kilometer-per-hour", "mph": "speed-mile-per-hour", "m/s": "speed-meter-per-second"},
    **{"°C": "temperature-celsius", "ºC": "temperature-celsius", "℃": "temperature-celsius"},
    **{"°F": "temperature-fahrenheit", "ºF": "temperature-fahrenheit", "℉": "temperature-fahrenheit"},
    **{"°": "angle-degree", "º": "angle-degree"},
    **{"l": "volume-liter", "L": "volume-liter", "ml": "volume-milliliter", "mL": "volume-milliliter"},
    **{"cl": "volume-centiliter", "dl": "volume-deciliter", "GB": "digital-gigabyte", "MB": "digital-megabyte"},
    **{"KB": "digital-kilobyte", "kB": "digital-kilobyte", "TB": "digital-terabyte", "GHz": "frequency-gigahertz"},
    **{"MHz": "frequency-megahertz", "kHz": "frequency-kilohertz", "Hz": "frequency-hertz", "W": "power-watt"},
    **{"kW": "power-kilowatt", "MW": "power-megawatt", "kWh": "energy-kilowatt-hour", "V": "electric-volt"},
    **{"h": "duration-hour", "hr": "duration-hour", "min": "duration-minute", "s": "duration-second"},
    **{"sec": "duration-second", "ms": "duration-millisecond", "m²": "area-square-meter", "m2": "area-square-meter"},
    **{"km²": "area-square-kilometer", "km2": "area-square-kilometer", "cm²": "area-square-centimeter"},
    **{"ha": "area-hectare", "m³": "volume-cubic-meter", "m3": "volume-cubic-meter", "ft²": "area-square-foot"},
    **{"Kbps": "digital-kilobit/duration-second", "Mbps": "digital-megabit/duration-second"},
    **{"Gbps": "digital-gigabit/duration-second", "MB/s": "digital-megabyte/duration-second"},
    **{
        "mbps": "digital-megabit/duration-second",
        "gr": "mass-gram",
        "tbsp": "volume-tablespoon",
        "tsp": "volume-teaspoon",
    },
    **{"sq ft": "area-square-foot", "kcal": "energy-kilocalorie", "px": "graphics-pixel", "MP": "graphics-megapixel"},
    **{
        "cm³": "volume-cubic-centimeter",
        "hPa": "pressure-hectopascal",
        "bar": "pressure-bar",
        "ft³": "volume-cubic-foot",
    },
}
