import assert from "node:assert/strict";
import test from "node:test";

import { counters } from "../../../../gateway/console/static/metrics.js";

const EXPOSITION = `# HELP voicebot_refused_total Requests turned away
# TYPE voicebot_refused_total counter
voicebot_refused_total{code="bad_token",platform="twilio"} 3.0
voicebot_refused_total{code="at_capacity",platform="twilio"} 4.0
voicebot_refused_total{code="bad_token",platform="-"} 2.0
voicebot_refused_created{code="bad_token",platform="-"} 1.7e+09
voicebot_playout_underruns_total 7.0
voicebot_calls_total{ended="goodbye",platform="twilio"} 12.0
voicebot_tool_seconds_bucket{le="0.1",outcome="ok",tool="find_order"} 2.0
voicebot_tool_seconds_count{outcome="ok",tool="find_order"} 5.0
voicebot_tool_seconds_count{outcome="ok",tool="hang_up"} 1.0
`;

test("counters are added up over platforms, the most frequent code first", () => {
  const [answered, refused, failed, tools] = counters(EXPOSITION);
  assert.deepEqual(answered, { key: "answered", sum: 12, parts: [["goodbye", 12]] });
  assert.deepEqual(refused, { key: "refused", sum: 9, parts: [["bad_token", 5], ["at_capacity", 4]] });
  assert.deepEqual(tools, { key: "tools_run", sum: 6, parts: [["ok", 6]] });
  assert.deepEqual(failed, { key: "failed_turns", sum: 0, parts: [] });
});

test("an empty answer counts nothing", () => {
  assert.deepEqual(counters("").map(({ sum }) => sum), [0, 0, 0, 0, 0]);
});
