// Answers a JSON-RPC text, valid or not. It sends no answer before all changes behind it are on disk.

import type { Faults } from './faults.ts';
import { SLOW_MILLISECONDS } from './faults.ts';
import { ACCOUNT_METHODS } from './methods/account-methods.ts';
import { BLOCK_METHODS } from './methods/block-methods.ts';
import type { Method, MethodContext } from './methods/method.ts';
import { TRANSACTION_METHODS } from './methods/transaction-methods.ts';
import { invalidParams, RpcError } from './rpc-error.ts';
import type { Connection, Subscriptions } from './subscriptions.ts';

const MAX_BATCH = 100;
const METHODS: ReadonlyMap<string, Method> = new Map(Object.entries({ ...ACCOUNT_METHODS, ...BLOCK_METHODS, ...TRANSACTION_METHODS }));

interface Call {
  readonly id: string | number | null | undefined;
  readonly method: string;
  readonly params: readonly unknown[];
}

interface Answer {
  readonly body: object | undefined;
  /** Runs after the answer was sent. */
  readonly after?: () => void;
}

export interface Reply {
  /** Undefined for notifications, which get no answer. */
  readonly text: string | undefined;
  readonly after: () => void;
}

export interface Dispatcher {
  answer(text: string, connection?: Connection): Promise<Reply>;
}

export function createDispatcher(
  context: MethodContext,
  subscriptions: Subscriptions,
  faults: Faults,
  log: (message: string) => void,
): Dispatcher {
  function run(call: Call, connection: Connection | undefined): { result: unknown; after?: () => void } {
    if (connection !== undefined && call.method.endsWith('Unsubscribe')) {
      return { result: subscriptions.close(connection, call.params[0]) };
    }
    if (connection !== undefined && call.method.endsWith('Subscribe')) {
      const { id, activate } = subscriptions.open(connection, call.method, call.params);
      return { result: id, after: activate };
    }
    const method = METHODS.get(call.method);
    if (method === undefined) throw new RpcError(-32601, 'Method not found');
    return { result: method(context, call.params) };
  }

  async function answerOne(request: unknown, connection: Connection | undefined): Promise<Answer> {
    let id: Call['id'] = null;
    try {
      const call = readCall(request);
      id = call.id;
      const { result, after } = run(call, connection);
      await context.chain.settled();
      return { body: id === undefined ? undefined : { jsonrpc: '2.0', result, id }, ...(after && { after }) };
    } catch (error) {
      if (!(error instanceof RpcError)) log(`A Solana call failed unexpectedly: ${error instanceof Error ? error.stack : error}`);
      return { body: id === undefined ? undefined : failure(error, id) };
    }
  }

  async function answerAll(text: string, connection: Connection | undefined): Promise<{ body: unknown; answers: readonly Answer[] }> {
    const request = parse(text);
    if (request === undefined) return { body: failure(new RpcError(-32700, 'Parse error'), null), answers: [] };
    if (!Array.isArray(request)) {
      const answer = await answerOne(request, connection);
      return { body: answer.body, answers: [answer] };
    }
    if (request.length === 0) return { body: failure(new RpcError(-32600, 'Invalid request'), null), answers: [] };
    if (request.length > MAX_BATCH) {
      return { body: failure(new RpcError(-32600, `A batch may hold ${MAX_BATCH} calls.`), null), answers: [] };
    }
    const answers: Answer[] = [];
    for (const one of request) answers.push(await answerOne(one, connection));
    const bodies = answers.flatMap(({ body }) => (body === undefined ? [] : [body]));
    return { body: bodies.length === 0 ? undefined : bodies, answers };
  }

  return {
    async answer(text, connection) {
      const { body, answers } = await answerAll(text, connection);
      if (faults.current() === 'slow') await pause(SLOW_MILLISECONDS);
      return {
        text: body === undefined ? undefined : JSON.stringify(body),
        after: () => {
          for (const answer of answers) answer.after?.();
        },
      };
    },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readCall(request: unknown): Call {
  if (typeof request !== 'object' || request === null || Array.isArray(request)) throw new RpcError(-32600, 'Invalid request');
  const { id, method, params = [] } = request as Record<string, unknown>;
  const isId = id === undefined || id === null || typeof id === 'string' || typeof id === 'number';
  if (!isId || typeof method !== 'string') throw new RpcError(-32600, 'Invalid request');
  if (!Array.isArray(params)) throw invalidParams('Invalid params: expected a list.');
  return { id, method, params };
}

function failure(error: unknown, id: Call['id']): object {
  const shown = error instanceof RpcError ? error : new RpcError(-32603, 'Internal error');
  const { code, message, data } = shown;
  return { jsonrpc: '2.0', error: { code, message, ...(data !== undefined && { data }) }, id: id ?? null };
}

/** Waits without keeping the process alive: a stopped node need not answer. */
function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds).unref();
  });
}
