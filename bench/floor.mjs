// The least a harness can do: one streamed request, one bash child and two appended and synced log lines a step.
// `node floor.mjs <base url> <log> <task>`. Plain JavaScript and nothing but Node, so that it starts as fast as Node.
import { spawn } from "node:child_process";
import { fdatasyncSync, openSync, writeSync } from "node:fs";

const [baseUrl, logFile, task] = process.argv.slice(2);
const log = openSync(logFile, "a");
const schema = { type: "object", properties: { command: { type: "string" } }, required: ["command"] };
const tools = [{ name: "shell", description: "Runs a command.", input_schema: schema }];
const messages = [];

keep({ role: "user", content: task });
for (;;) {
  const content = await reply();
  keep({ role: "assistant", content });
  const call = content.find((block) => block.type === "tool_use");
  if (call === undefined) break;
  const result = { type: "tool_result", tool_use_id: call.id, content: await output(call.input.command) };
  keep({ role: "user", content: [result] });
}

function keep(message) {
  messages.push(message);
  writeSync(log, `${JSON.stringify(message)}\n`);
  fdatasyncSync(log);
}

async function reply() {
  const request = {
    model: "m",
    max_tokens: 1000,
    stream: true,
    system: "You are an agent.",
    tools,
    messages,
  };
  const response = await fetch(`${baseUrl}/v1/messages`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(request),
  });
  const content = [];
  let text = "";
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      take(JSON.parse(text.slice(text.indexOf("data: ") + 6, end)), content);
      text = text.slice(end + 2);
    }
  }
  return content;
}

function take(event, content) {
  const block = content.at(-1);
  if (event.type === "content_block_start") content.push({ ...event.content_block, json: "" });
  if (event.delta?.type === "text_delta") block.text += event.delta.text;
  if (event.delta?.type === "input_json_delta") block.json += event.delta.partial_json;
  if (event.type !== "content_block_stop") return;
  if (block.type === "tool_use") block.input = JSON.parse(block.json);
  delete block.json;
}

function output(command) {
  const child = spawn("bash", ["-c", command], { stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      text += chunk;
    });
  }
  return new Promise((resolve) => child.on("close", () => resolve(text)));
}
