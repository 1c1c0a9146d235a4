// Has an official client of the first or second generation take steps at a server, and prints what came of each as one
// JSON object.
//
//   node drive.mjs PEERS 1 '{"command": "…", "args": […], "env": {…}}' '[{"list": true}, {"call": "name", "arguments": {…}}]'
//   node drive.mjs PEERS 2 '{"url": "http://…/mcp", "token": "…"}' …
//
// The client of the second generation speaks 2026-07-28. With `asks` it can be asked. Steps: `list`, `call`, `read`, `prompt`; in this client also
// `resources`, `templates` and `prompts`. A call is made again while the gateway says that a server is still being started, and with `patient` while
// it fails. `change` waits until a change of the tools was told that was not there when a step waited before, at most for so many milliseconds;
// `quiet` until none was told for so long. Both give how many were told.
import { createRequire } from "node:module";
import { join } from "node:path";

const [peers, generation, server, given] = process.argv.slice(2);
const { resolve } = createRequire(join(peers, "package.json"));
const load = (name) => import(resolve(`@modelcontextprotocol/${name}`));
const how = JSON.parse(server);
const env = { ...process.env, ...how.env };
const headers = how.token ? { Authorization: `Bearer ${how.token}` } : {};
const options = { requestInit: { headers } };
let changed = 0;
let client;
let transport;
const who = { name: "driver", version: "1.0.0" };
const capabilities = how.asks ? { elicitation: {}, roots: {}, sampling: {} } : {};
const answers = {
  elicit: () => ({ action: "accept", content: { name: "Ada" } }),
  roots: () => ({ roots: [{ uri: "file:///here", name: "here" }] }),
  sample: () => ({
    model: "test",
    role: "assistant",
    content: { type: "text", text: "as if a model had said it" },
  }),
};

if (generation === "1") {
  const { Client } = await load("sdk/client/index.js");
  const { StdioClientTransport } = await load("sdk/client/stdio.js");
  const { StreamableHTTPClientTransport } = await load("sdk/client/streamableHttp.js");
  const types = await load("sdk/types.js");
  client = new Client(who, { capabilities });
  client.setNotificationHandler(types.ToolListChangedNotificationSchema, () => {
    changed += 1;
  });
  if (how.asks) {
    client.setRequestHandler(types.ElicitRequestSchema, answers.elicit);
    client.setRequestHandler(types.ListRootsRequestSchema, answers.roots);
    client.setRequestHandler(types.CreateMessageRequestSchema, answers.sample);
  }
  transport = how.url
    ? new StreamableHTTPClientTransport(new URL(how.url), options)
    : new StdioClientTransport({ ...how, env, stderr: "inherit" });
} else {
  const { Client, StreamableHTTPClientTransport } = await load("client");
  const { StdioClientTransport } = await load("client/stdio");
  client = new Client(who, {
    capabilities,
    versionNegotiation: { mode: { pin: "2026-07-28" } },
    listChanged: { tools: { debounceMs: 0, autoRefresh: false, onChanged: () => { changed += 1; } } },
  });
  if (how.asks) {
    client.setRequestHandler("elicitation/create", answers.elicit);
    client.setRequestHandler("roots/list", answers.roots);
    client.setRequestHandler("sampling/createMessage", answers.sample);
  }
  transport = how.url
    ? new StreamableHTTPClientTransport(new URL(how.url), options)
    : new StdioClientTransport({ ...how, env, stderr: "inherit" });
}
await client.connect(transport);

const PATIENCE = 60000;
const sleep = (time) => new Promise((done) => setTimeout(done, time));
const isEarly = (answer) =>
  ["still being started", "is not searched yet"].some((early) => JSON.stringify(answer).includes(early));

async function call(step, progress) {
  const params = { name: step.call, arguments: step.arguments ?? {} };
  const watch = { onprogress: (one) => progress.push(one.progress), timeout: PATIENCE };
  const until = Date.now() + PATIENCE;
  for (;;) {
    let answer;
    try {
      answer = generation === "1" ? await client.callTool(params, undefined, watch) : await client.callTool(params, watch);
      if (!isEarly(answer) && !(step.patient && answer.isError)) return answer;
    } catch (error) {
      if (!step.patient || Date.now() > until) throw error;
    }
    if (Date.now() > until) return answer;
    await sleep(100);
  }
}

let known = 0;
const steps = [];
for (const step of JSON.parse(given)) {
  const progress = [];
  try {
    if (step.list) steps.push((await client.listTools()).tools);
    else if (step.resources) steps.push((await client.listResources()).resources);
    else if (step.templates) steps.push((await client.listResourceTemplates()).resourceTemplates);
    else if (step.prompts) steps.push((await client.listPrompts()).prompts);
    else if (step.call) {
      const answer = await call(step, progress);
      steps.push(step.progress ? { answer, progress } : answer);
    } else if (step.read) steps.push(await client.readResource({ uri: step.read }));
    else if (step.prompt) steps.push(await client.getPrompt({ name: step.prompt, arguments: step.arguments ?? {} }));
    else {
      if (step.change) for (const until = Date.now() + step.change; changed === known && Date.now() < until; ) await sleep(20);
      else {
        let seen;
        do {
          seen = changed;
          await sleep(step.quiet);
        } while (changed !== seen);
      }
      known = changed;
      steps.push(changed);
    }
  } catch (error) {
    steps.push({ failed: { code: error.code ?? null, message: String(error.message) } });
  }
}
const pid = transport.pid ?? null;
if (how.leave !== "killed") await client.close();
// More than a pipe holds is not written at once.
process.stdout.write(`${JSON.stringify({ steps, changed, pid })}\n`, () => process.exit(0));
