/**
 * The list of tools and a read tool over POST /mcp, with an API key, against the SDK's own stateless server behind node:http, once with as
 * many tools as ours, once with three. Both serve revision 2026-07-28; clients accept gzip, as every fetch does.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { toolList } from '@market/contract';
import { registerOwnedAgent } from '../test/harness/agents.ts';
import { baseWallet } from '../test/harness/people.ts';
import { type BenchRun, defineBench } from './suite/bench.ts';
import { compare } from './suite/compare.ts';
import { drive } from './suite/drive.ts';

const SAMPLE = path.join(import.meta.dirname, 'suite', 'sample-mcp.mjs');
const CALLERS = 32;
const AGENTS = 20;
const REVISION = '2026-07-28';
const few = 3;

const listRow = (tools: number): string => `POST /mcp tools/list, sample of ${tools} tools`;
const readRow = (tools: number): string => `POST /mcp tools/call browse_agents, sample of ${tools} tools`;
const sizes = [toolList.length, few];

export default defineBench({
  about: 'tools/list and a read tool over MCP against the SDK’s stateless sample server',
  rows: sizes.flatMap((tools) =>
    [listRow(tools), readRow(tools)].map(
      (row) => ({ path: row, unit: '/s', judged: 'ratio', direction: 'at least', ...(tools !== few && { bound: 10 }) }) as const,
    ),
  ),
  async run(run) {
    const stage = await run.stage();
    const { key } = await registerOwnedAgent(stage.url, baseWallet());
    for (let number = 1; number < run.pick(AGENTS, 2); number++) await registerOwnedAgent(stage.url, baseWallet());
    for (const tools of sizes) {
      const sample = await startSample(tools);
      run.atEnd(() => sample.child.kill('SIGKILL'));
      const list = (url: string, bearer?: string) => messageTo(url, { method: 'tools/list' }, bearer);
      await measure(run, listRow(tools), { url: stage.url, message: list(stage.url, key) }, { url: sample.url, message: list(sample.url) });
      const call = (url: string, name: string, bearer?: string) =>
        messageTo(url, { method: 'tools/call', params: { name, arguments: { limit: AGENTS } } }, bearer);
      await measure(
        run,
        readRow(tools),
        { url: stage.url, message: call(stage.url, 'market_browse_agents', key) },
        { url: sample.url, message: call(sample.url, 'list_0') },
      );
    }
  },
});

interface Side {
  readonly url: string;
  readonly message: Buffer;
}

async function measure(run: BenchRun, row: string, ours: Side, theirs: Side): Promise<void> {
  const milliseconds = run.pick(1_500, 30);
  const sizes = new Map<Side, number>();
  const load = async (side: Side): Promise<number> => {
    const { url, message } = side;
    const onAnswer = (_number: number, body: Buffer) => void sizes.set(side, body.length);
    return (await drive({ url, callers: CALLERS, milliseconds, next: () => message, onAnswer })).perSecond;
  };
  for (const side of [ours, theirs]) await load(side);
  const figure = await compare({
    rounds: run.pick(7, 1),
    ours: () => load(ours),
    limit: () => load(theirs),
    onRound: (mine, sdk) =>
      run.print(`${row}: market ${mine.toFixed(0)}/s (${sizes.get(ours)} bytes) · SDK ${sdk.toFixed(0)}/s (${sizes.get(theirs)} bytes)`),
  });
  run.report(row, figure);
}

interface Message {
  readonly method: string;
  readonly params?: { readonly name: string; readonly arguments: object };
}

/** The bytes of one request, as the official client sends it. */
function messageTo(url: string, { method, params }: Message, bearer?: string): Buffer {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': REVISION,
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } });
  const lines = [
    'POST /mcp HTTP/1.1',
    `Host: ${new URL(url).host}`,
    'Accept: application/json, text/event-stream',
    'Accept-Encoding: gzip, deflate',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `MCP-Protocol-Version: ${REVISION}`,
    `Mcp-Method: ${method}`,
    ...(params === undefined ? [] : [`Mcp-Name: ${params.name}`]),
    ...(bearer === undefined ? [] : [`Authorization: Bearer ${bearer}`]),
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`);
}

async function startSample(tools: number): Promise<{ readonly url: string; readonly child: ChildProcess }> {
  const child = spawn(process.execPath, [SAMPLE, '--tools', String(tools)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => resolve(line.replace('ready ', '')));
    child.once('exit', (code) => reject(new Error(`the sample server ended with ${code}`)));
  });
  return { url, child };
}
