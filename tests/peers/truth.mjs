// What the official client sees of a server: everything that it lists, every resource that it lists, and the prompts
// that are asked for. Prints one JSON object.
//
//   node truth.mjs PEERS '{"command": "node", "args": […]}' '{"prompt": {arguments}}' '["uri", …]'
//   node truth.mjs PEERS '{"url": "http://…/mcp"}' …
import { createRequire } from "node:module";
import { join } from "node:path";

const [peers, server, prompts, uris] = process.argv.slice(2);
const { resolve } = createRequire(join(peers, "package.json"));
const { Client } = await import(resolve("@modelcontextprotocol/sdk/client/index.js"));
const { StdioClientTransport } = await import(resolve("@modelcontextprotocol/sdk/client/stdio.js"));
const { StreamableHTTPClientTransport } = await import(resolve("@modelcontextprotocol/sdk/client/streamableHttp.js"));

const how = JSON.parse(server);
const transport = how.url
  ? new StreamableHTTPClientTransport(new URL(how.url))
  : new StdioClientTransport({ ...how, stderr: "ignore" });
const client = new Client({ name: "truth", version: "1.0.0" });
await client.connect(transport);
const can = client.getServerCapabilities();

async function all(ask, key) {
  const entries = [];
  let cursor;
  do {
    const page = await ask(cursor === undefined ? {} : { cursor });
    entries.push(...page[key]);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return entries;
}

const seen = {
  tools: can.tools ? await all((page) => client.listTools(page), "tools") : [],
  resources: can.resources ? await all((page) => client.listResources(page), "resources") : [],
  templates: can.resources ? await all((page) => client.listResourceTemplates(page), "resourceTemplates") : [],
  prompts: can.prompts ? await all((page) => client.listPrompts(page), "prompts") : [],
  read: {},
  got: {},
};
for (const uri of [...seen.resources.map((resource) => resource.uri), ...JSON.parse(uris)]) {
  seen.read[uri] = (await client.readResource({ uri })).contents;
}
for (const [name, given] of Object.entries(JSON.parse(prompts))) {
  seen.got[name] = await client.getPrompt({ name, arguments: given });
}
await client.close();
console.log(JSON.stringify(seen));
