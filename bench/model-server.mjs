// A scripted Messages API in a process of its own, so that nothing else delays its clock: `calls` replies with one
// shell call each, then a closing text. Its parent gets the port, and at the end the times of every exchange.
import { createServer } from "node:http";

const calls = Number(process.argv[2]);
/** In monotonic milliseconds, which all processes of a machine share. */
const exchanges = [];

const server = createServer((request, response) => {
  const exchange = { asked: now(), bytes: 0, replied: null };
  const step = exchanges.push(exchange);
  request.on("data", (chunk) => {
    exchange.bytes += chunk.length;
  });
  request.on("end", () => {
    response.writeHead(200, { "content-type": "text/event-stream", "request-id": `req_${step}` });
    for (const event of eventsOf(step))
      response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    response.end(() => {
      exchange.replied = now();
    });
  });
});
server.listen(0, "127.0.0.1", () => process.send({ type: "listening", port: server.address().port }));
process.on("message", () => process.send({ type: "exchanges", exchanges }, () => process.exit(0)));
// Whoever started it is gone.
process.on("disconnect", () => process.exit(0));

function now() {
  return Number(process.hrtime.bigint() / 1000n) / 1000;
}

/** Appends a line, so that every call changes a file, and prints about 1 KB of another. */
function commandOf(step) {
  return `echo step ${step} >> log.txt; head -c 1000 src/f${step % 20}.js`;
}

function* eventsOf(step) {
  const usage = {
    input_tokens: 10,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 1000,
    output_tokens: 1,
  };
  const message = { id: `msg_${step}`, type: "message", role: "assistant", model: "scripted", content: [] };
  yield { type: "message_start", message: { ...message, stop_reason: null, stop_sequence: null, usage } };
  const last = step > calls;
  yield* block(
    0,
    { type: "text", text: "" },
    "text_delta",
    "text",
    last ? "Log the steps\n\nDone." : `Step ${step}.`,
  );
  if (!last) {
    const call = { type: "tool_use", id: `toolu_${step}`, name: "shell", input: {} };
    yield* block(1, call, "input_json_delta", "partial_json", JSON.stringify({ command: commandOf(step) }));
  }
  const delta = { stop_reason: last ? "end_turn" : "tool_use", stop_sequence: null };
  yield { type: "message_delta", delta, usage: { ...usage, output_tokens: 50 } };
  yield { type: "message_stop" };
}

function* block(index, content_block, type, name, text) {
  yield { type: "content_block_start", index, content_block };
  const third = Math.ceil(text.length / 3);
  for (let at = 0; at < text.length; at += third)
    yield { type: "content_block_delta", index, delta: { type, [name]: text.slice(at, at + third) } };
  yield { type: "content_block_stop", index };
}
