/**
 * Anonymous MCP: POST /api/x402/mcp. Plain JSON-RPC of revision 2024-11-05 with two tools, for programs without an account.
 * Every answer to a message is HTTP 200; refusals before the message is read (limit, size, type) are the usual envelope.
 */
import { furtherRateLimits, MARKED_TEXT_NOTE, MarketError, NOTE_KEY } from '@market/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { CountedOperation } from '../count-calls.ts';
import type { Executor } from '../execute-operation.ts';
import { countRequest } from '../rest/count-request.ts';
import { errorAnswer, JSON_TYPE } from '../rest/error-answer.ts';
import { sandboxPassOf } from '../rest/read-credentials.ts';
import { type AnonymousTool, createAnonymousTools, type RunOperation } from './anonymous-tools.ts';
import { isRecord, type RpcCall, RpcError, readRpcCall, rpcCodes, rpcError, rpcResult } from './json-rpc.ts';

export interface AnonymousMcpOptions {
  readonly serviceName: string;
  readonly baseUrl: string;
  readonly appUrl: string;
  readonly executor: Executor;
  readonly log: Logger;
}

const PATH = '/api/x402/mcp';
export const anonymousMcpRoutes = [`GET ${PATH}`, `POST ${PATH}`] as const;
const PROTOCOL_VERSION = '2024-11-05';
const VERSION = '1.0.0';
const MAX_BODY_BYTES = 64 * 1024;
const counted: CountedOperation = { spec: { limit: furtherRateLimits.anonymousMcp, rest: { method: 'POST', path: PATH } } };

export function addAnonymousMcp(app: FastifyInstance, options: AnonymousMcpOptions): void {
  const { executor, log } = options;
  const tools = createAnonymousTools(options.baseUrl);
  const listed = { tools: tools.map(({ definition }) => definition) };
  const names = tools.map(({ definition }) => definition.name).join(' and ');
  const info = infoDocument(options, tools);

  app.get(PATH, async (_request, reply) => reply.type(JSON_TYPE).header('Cache-Control', 'public, max-age=300').send(info));
  // A plugin scope of its own, because here a body that is not JSON gets a JSON-RPC error.
  void app.register(async (scope) => {
    scope.removeContentTypeParser('application/json');
    scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) => body);
    scope.post(PATH, {
      bodyLimit: MAX_BODY_BYTES,
      // Count before reading the body: a refusal must cost less than a request.
      onRequest: async (request, reply) => await countRequest(executor.calls, counted, request, reply),
      handler: async (request, reply) => await answer(request, reply),
    });
  });

  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    reply.type(JSON_TYPE);
    try {
      const call = readRpcCall(request.body as Buffer | undefined);
      if (call.isNotification && call.method.startsWith('notifications/')) return await reply.code(202).send();
      return await reply.send(rpcResult(call.id, await resultOf(call, request)));
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      return await reply.send(rpcError(error));
    }
  }

  const methods: Readonly<Record<string, (call: RpcCall, request: FastifyRequest) => object | Promise<object>>> = {
    initialize({ id, params: { protocolVersion } }) {
      if (protocolVersion !== undefined && typeof protocolVersion !== 'string')
        throw new RpcError(rpcCodes.params, `protocolVersion must be a text such as "${PROTOCOL_VERSION}".`, id);
      return {
        // The only supported revision; a client that wants another one decides whether to continue.
        protocolVersion: PROTOCOL_VERSION,
        capabilities: { tools: {} },
        serverInfo: { name: options.serviceName, version: VERSION },
      };
    },
    'notifications/initialized': () => ({}),
    ping: () => ({}),
    'tools/list': () => listed,
    'tools/call': callTool,
  };

  async function resultOf(call: RpcCall, request: FastifyRequest): Promise<object> {
    const { id, method } = call;
    const answerTo = Object.hasOwn(methods, method) ? methods[method] : undefined;
    if (answerTo !== undefined) return await answerTo(call, request);
    const known = Object.keys(methods).join(', ');
    throw new RpcError(rpcCodes.method, `There is no method ${method.slice(0, 60)}. This endpoint answers ${known}.`, id);
  }

  async function callTool({ id, params }: RpcCall, request: FastifyRequest): Promise<object> {
    const { name, arguments: args = {} } = params;
    if (typeof name !== 'string') throw new RpcError(rpcCodes.params, 'params.name must name a tool.', id);
    const tool = tools.find(({ definition }) => definition.name === name);
    if (tool === undefined) throw new RpcError(rpcCodes.params, `There is no tool ${name.slice(0, 60)}. The tools are ${names}.`, id);
    if (!isRecord(args)) throw new RpcError(rpcCodes.params, 'params.arguments must be an object.', id);
    try {
      return markedResult(tool, await tool.run(args, runAs(request)));
    } catch (error) {
      const { isFault, status, body } = errorAnswer(error, request.id);
      if (isFault) log.error({ err: error, request_id: request.id, route: PATH }, 'a request failed');
      // An error of ours reveals no more than over REST.
      if (status === 500) throw new RpcError(rpcCodes.internal, String(body['error']), id);
      return textResult(error instanceof MarketError ? error.message : String(body['error']), true);
    }
  }

  function runAs(request: FastifyRequest): RunOperation {
    const credentials = { clientAddress: request.ip, ...sandboxPassOf(request) };
    return async (operation, args) => {
      const { answer, afterAnswer } = await executor.execute({ operation, args, credentials, log: log.child({ request_id: request.id }) });
      for (const work of afterAnswer) await work();
      return answer.data;
    };
  }
}

/**
 * This revision has no structured content, so marks of untrusted text are part of the one text item. A list stays the first item, because
 * clients parse it.
 */
function markedResult({ mark }: AnonymousTool, value: unknown): object {
  const marked = mark(value);
  if (marked === undefined) return textResult(JSON.stringify(value, null, 2), false);
  if (!Array.isArray(marked)) return textResult(JSON.stringify({ [NOTE_KEY]: MARKED_TEXT_NOTE, ...marked }, null, 2), false);
  const texts = [JSON.stringify(marked, null, 2), MARKED_TEXT_NOTE];
  return { content: texts.map((text) => ({ type: 'text', text })), isError: false };
}

function textResult(text: string, isError: boolean): object {
  return { content: [{ type: 'text', text }], isError };
}

function infoDocument({ serviceName, baseUrl, appUrl }: AnonymousMcpOptions, tools: readonly AnonymousTool[]): string {
  return JSON.stringify({
    name: serviceName,
    version: VERSION,
    protocolVersion: PROTOCOL_VERSION,
    transport: 'http',
    endpoint: `${baseUrl}${PATH}`,
    deprecated: true,
    canonical_endpoint: `${appUrl}/mcp`,
    note: 'Two tools without an account. The canonical endpoint has all tools; it takes an API key or a sign-in.',
    tools: tools.map(({ definition: { name, description } }) => ({ name, description })),
  });
}
