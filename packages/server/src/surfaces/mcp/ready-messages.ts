/**
 * Answers that are the same for every agent, as finished bytes: the list of tools, and read tools of public data. Only fully understood
 * messages are looked up: every field that the library reads, except the id, is part of the key. So the answer equals the library's earlier
 * answer to the same message, as long as its data have not changed.
 */
import { type Tool, toolNamed } from '@market/contract';
import type { FastifyRequest } from 'fastify';
import type { Metrics } from '../../platform/telemetry/metrics.ts';
import type { DataVersions, VersionReader } from '../../platform/versions/data-versions.ts';
import type { CallCounter } from '../count-calls.ts';
import { type ReadyRule, readyRuleOf } from '../ready/ready-operations.ts';
import type { McpCaller } from './authenticate.ts';
import { type FinishedMessage, finishMessage } from './finished-message.ts';

export interface ReadyMessagesOptions {
  readonly versions: VersionReader;
  readonly calls: CallCounter;
  readonly metrics: Pick<Metrics, 'toolFinished'>;
  /** Memory for finished answers. */
  readonly mostBytes: number;
}

/** A message whose answer may be kept. */
export interface ReadyQuestion {
  readonly key: string;
  readonly id: string | number;
  readonly tool: Tool | undefined;
  readonly rule: ReadyRule;
  readonly startedAt: number;
  /** Read before the data of the answer. */
  versions?: DataVersions;
}

export interface ReadyMessages {
  /** Undefined for a message that only the library understands. */
  read(request: FastifyRequest, by: McpCaller): ReadyQuestion | undefined;
  find(question: ReadyQuestion, by: McpCaller): Promise<FinishedMessage | undefined>;
  keep(question: ReadyQuestion, answer: Pick<FinishedMessage, 'status' | 'headers'>, text: string): void;
}

interface KeptMessage {
  readonly message: FinishedMessage;
  readonly epoch: string;
  readonly changes: number;
  readonly until: number;
}

/** The list of tools changes only with a new version of the program. */
const forever: ReadyRule = { tables: [] };
const LONGEST_KEY = 4_096;
/** Identical bytes under the keys of many clients are stored once. */
const MOST_TEXTS = 50;

export function createReadyMessages({ versions, calls, metrics, mostBytes }: ReadyMessagesOptions): ReadyMessages {
  const kept = new Map<string, KeptMessage>();
  const lists = new Map<string, FinishedMessage>();
  let total = 0;

  function remove(key: string): void {
    total -= sizeOf(key, kept.get(key));
    kept.delete(key);
  }

  /** False sends the call to the library, which writes the refusal. */
  async function mayCall(tool: Tool, by: McpCaller): Promise<boolean> {
    if (tool.operation.spec.limit === undefined) return true;
    return (await calls.count(tool.operation, by.credentials)).verdict?.allowed !== false;
  }

  return {
    read,

    async find(question, by) {
      const { key, rule, tool, startedAt } = question;
      const now = rule.tables.length === 0 && rule.maxAge === undefined ? undefined : await versions.read();
      if (now !== undefined) question.versions = now;
      const found = kept.get(key);
      if (found === undefined) return undefined;
      const isTrue = now === undefined || (found.epoch === now.epoch && found.changes >= now.changesOf(rule.tables));
      if (!isTrue || found.until <= startedAt) return undefined;
      if (tool !== undefined && !(await mayCall(tool, by))) return undefined;
      // A read moves the entry to the end, so it is evicted last.
      kept.delete(key);
      kept.set(key, found);
      if (tool !== undefined) metrics.toolFinished(tool.name, 'done', performance.now() - startedAt);
      return found.message;
    },

    keep({ key, id, tool, rule, startedAt, versions: seen }, answer, text) {
      const finished = answer.status === 200 && !text.includes('"isError":true') ? finishMessage(answer, text, id) : undefined;
      if (finished === undefined) return;
      remove(key);
      const message = tool === undefined ? sharedList(finished, text) : finished;
      const until = startedAt + (rule.maxAge?.ms ?? Number.POSITIVE_INFINITY);
      const entry = { message, epoch: seen?.epoch ?? '', changes: seen?.changesOf(rule.tables) ?? 0, until };
      kept.set(key, entry);
      total += sizeOf(key, entry);
      for (const oldest of kept.keys()) {
        if (total <= mostBytes) break;
        remove(oldest);
      }
    },
  };

  function sharedList(finished: FinishedMessage, text: string): FinishedMessage {
    const withoutId = `${finished.headers['content-type']} ${text.slice(0, text.lastIndexOf('"id":'))}`;
    const known = lists.get(withoutId);
    if (known !== undefined) return known;
    if (lists.size >= MOST_TEXTS) lists.clear();
    lists.set(withoutId, finished);
    return finished;
  }
}

function sizeOf(key: string, entry: KeptMessage | undefined): number {
  return entry === undefined ? 0 : entry.message.size + 2 * key.length;
}

const plainMeta = new Set([
  'io.modelcontextprotocol/protocolVersion',
  'io.modelcontextprotocol/clientInfo',
  'io.modelcontextprotocol/clientCapabilities',
]);

function read(request: FastifyRequest, by: McpCaller): ReadyQuestion | undefined {
  const { jsonrpc, id, method, params = {}, ...others } = (request.body ?? {}) as Readonly<Record<string, unknown>>;
  const isMessage = jsonrpc === '2.0' && isId(id) && typeof params === 'object' && params !== null && Object.keys(others).length === 0;
  if (!isMessage || !isPlainAgent(by)) return undefined;
  const { _meta = {}, ...asked } = params as Readonly<Record<string, unknown>>;
  if (typeof _meta !== 'object' || Object.keys(_meta ?? {}).some((name) => !plainMeta.has(name))) return undefined;
  const about = method === 'tools/list' ? listOf(asked) : method === 'tools/call' ? callOf(asked) : undefined;
  if (about === undefined) return undefined;
  const key = `${headersIn(request)}\n${method}\n${JSON.stringify(params)}`;
  return key.length > LONGEST_KEY ? undefined : { key, id, ...about, startedAt: performance.now() };
}

function isId(id: unknown): id is string | number {
  return Number.isSafeInteger(id) || (typeof id === 'string' && id.length <= 100);
}

/** True if the only credential is a valid agent API key. */
function isPlainAgent({ caller: { agent, user, wallet, connection } }: McpCaller): boolean {
  const isAlone = user === undefined && wallet === undefined && connection === undefined;
  return isAlone && agent?.active === true && !agent.keyRetired && agent.ban?.banned === false;
}

type About = Pick<ReadyQuestion, 'tool' | 'rule'>;

function listOf(asked: Readonly<Record<string, unknown>>): About | undefined {
  return Object.keys(asked).length === 0 ? { tool: undefined, rule: forever } : undefined;
}

function callOf({ name, arguments: args = {}, ...others }: Readonly<Record<string, unknown>>): About | undefined {
  const tool = typeof name === 'string' ? toolNamed(name) : undefined;
  const rule = tool && readyRuleOf(tool.operation);
  if (rule?.sameForAll === undefined || Object.keys(others).length > 0) return undefined;
  if (typeof args !== 'object' || args === null || rule.sameForAll.unless.some((field) => Object.hasOwn(args, field))) return undefined;
  return { tool, rule };
}

/** The headers that the library reads. */
function headersIn({ headers }: FastifyRequest): string {
  const read = Object.entries(headers).filter(([name]) => name === 'accept' || name === 'content-type' || name.startsWith('mcp-'));
  return JSON.stringify(read.sort(([a], [b]) => (a < b ? -1 : 1)));
}
