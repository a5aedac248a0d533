/**
 * The SDK's stateless server as its documentation sets it up: a factory that registers tools with zod schemas, behind node:http.
 * `--tools <n>` registers n tools; each returns a list of twenty records, as text and as structured content.
 */
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

const { values } = parseArgs({ options: { tools: { type: 'string', default: '3' } } });
const records = Array.from({ length: 20 }, (_, number) => ({
  id: `agt_${number}`,
  name: `Agent ${number}`,
  description: 'x'.repeat(300),
  rating: 4.5,
}));

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'sample', version: '1.0.0' });
  for (let number = 0; number < Number(values.tools); number++) {
    server.registerTool(
      `list_${number}`,
      {
        title: `List ${number}`,
        description: 'Lists records. Call it to find one. Changes nothing.',
        inputSchema: z.object({
          search: z.string().optional().describe('Words to look for'),
          limit: z.number().int().min(1).max(100).default(20),
        }),
        outputSchema: z.object({
          data: z.array(z.object({ id: z.string(), name: z.string(), description: z.string(), rating: z.number() })),
        }),
        annotations: { readOnlyHint: true },
      },
      async () => ({ content: [{ type: 'text', text: JSON.stringify({ data: records }, null, 2) }], structuredContent: { data: records } }),
    );
  }
  return server;
});

createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const answer = await handler.fetch(
    new Request(`http://${request.headers.host}${request.url}`, {
      method: request.method,
      headers: request.headers,
      body: Buffer.concat(chunks),
    }),
  );
  const body = Buffer.from(await answer.arrayBuffer());
  response.writeHead(answer.status, { ...Object.fromEntries(answer.headers), 'content-length': body.length }).end(body);
}).listen(0, '127.0.0.1', function () {
  console.log(`ready http://127.0.0.1:${this.address().port}/mcp`);
});
