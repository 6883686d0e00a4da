// G.711 µ-law, as media/g711.py has it: 14 significant bits, bias 33, one byte a sample.

const BIAS = 33;
const CLIP = 8159;
/** The byte of silence. */
export const SILENCE = 0xff;

/** Compand one sample of 16-bit PCM to its µ-law byte. */
export function linearToUlaw(pcm) {
  const sample = pcm >> 2;
  const mask = sample < 0 ? 0x7f : 0xff;
  const magnitude = Math.min(Math.abs(sample), CLIP) + BIAS;
  const segment = 26 - Math.clz32(magnitude);
  if (segment > 7) return 0x7f ^ mask;
  return ((segment << 4) | ((magnitude >> (segment + 1)) & 0x0f)) ^ mask;
}

/** Expand one µ-law byte to 16-bit PCM; every byte is valid. */
export function ulawToLinear(code) {
  const bits = ~code & 0xff;
  const magnitude = ((((bits & 0x0f) << 3) + 132) << ((bits & 0x70) >> 4)) - 132;
  return bits & 0x80 ? -magnitude : magnitude;
}

const EXPANDED = Float32Array.from({ length: 256 }, (_, code) => ulawToLinear(code) / 32768);

/** Expand a frame to samples between -1 and 1. */
export function expand(payload) {
  return Float32Array.from(payload, (code) => EXPANDED[code]);
}

/** Compand samples to a frame; beyond -1 and 1 they are clipped. */
export function compand(samples) {
  return Uint8Array.from(samples, (sample) =>
    linearToUlaw(Math.round(Math.max(-1, Math.min(1, sample)) * 32767)),
  );
}
