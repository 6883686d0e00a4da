// The counters of GET /metrics, Prometheus' text format, as the console shows them.

// Metric and the label whose values are told beside the sum.
const SHOWN = [
  ["answered", "voicebot_calls_total", "ended"],
  ["refused", "voicebot_refused_total", "code"],
  ["failed_turns", "voicebot_turn_failures_total", "code"],
  ["tools_run", "voicebot_tool_seconds_count", "outcome"],
  ["peer_errors", "voicebot_peer_errors_total", "code"],
];
const SAMPLE = /^(\w+)(?:\{(.*)\})? (\S+)/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** Return [{ key, sum, parts }]: parts are [label value, count], largest first. */
export function counters(exposition) {
  const samples = exposition.split("\n").map(parsed).filter(Boolean);
  return SHOWN.map(([key, metric, label]) => {
    const parts = new Map();
    for (const { name, labels, value } of samples) {
      if (name === metric) parts.set(labels[label], (parts.get(labels[label]) ?? 0) + value);
    }
    const sum = [...parts.values()].reduce((a, b) => a + b, 0);
    return { key, sum, parts: [...parts].sort((a, b) => b[1] - a[1]) };
  });
}

function parsed(line) {
  const match = line.startsWith("#") ? null : SAMPLE.exec(line);
  if (!match) return null;
  const labels = Object.fromEntries([...(match[2] ?? "").matchAll(LABEL)].map(([, name, value]) => [name, value]));
  return { name: match[1], labels, value: Number(match[3]) };
}
