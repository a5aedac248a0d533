/** OpenAI's agents library, connected to our endpoint with its option for strict schemas. */
import { getAllMcpTools, MCPServerStreamableHttp, RunContext } from '@openai/agents-core';

export async function openTools(url, key) {
  const server = new MCPServerStreamableHttp({
    url,
    name: 'market',
    requestInit: { headers: { authorization: `Bearer ${key}` } },
    useStructuredContent: true,
  });
  await server.connect();
  const tools = await getAllMcpTools({ mcpServers: [server], convertSchemasToStrict: true });
  return {
    tools: tools.map(({ name, strict, parameters }) => ({ name, strict, parameters })),
    async call(name, args) {
      const tool = tools.find((one) => one.name === name);
      return await tool.invoke(new RunContext({}), JSON.stringify(args));
    },
    close: () => server.close(),
  };
}
