/** Turns a tool call into a call of its operation through the SDK. It only renames and moves arguments; the server validates them. */
import { challengeResult, errorResult, MarketError, type Tool, type ToolRefusal, type ToolResult } from '@market/contract';
import { type CallOptions, type ClientOptions, createMarketClient, MarketApiError } from '@market/sdk';

export interface WantedCall {
  readonly tool: Tool;
  readonly args: Readonly<Record<string, unknown>>;
  /** `_meta` of the request: may hold an x402 payment and the name of a budget session. */
  readonly meta: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
}

export interface ToolCaller {
  call(wanted: WantedCall): Promise<ToolResult>;
}

const PAYMENT = 'x402/payment';
const BUDGET = 'market/budget';
const PAYMENT_RESPONSE = 'x402/payment-response';
const REGISTER = 'market_register_agent';

type Method = (args: Readonly<Record<string, unknown>>, options: CallOptions) => Promise<Readonly<Record<string, unknown>>>;

/** Uses the key of `options`. After a tool call registered an agent, it uses the key of that agent. */
export function createToolCaller(options: ClientOptions): ToolCaller {
  let { apiKey } = options;

  async function send({ tool, args, meta, signal }: WantedCall, seen: SeenHeaders): Promise<ToolResult> {
    const { args: fields, idempotencyKey, signature } = tool.toArguments(args);
    refuseMissing(tool, args);
    const fetch = watchedFetch(options.fetch ?? globalThis.fetch, proofHeaders(signature), seen);
    const market = createMarketClient({ ...options, fetch, ...(apiKey !== undefined && { apiKey }) });
    const answer = await methodOf(market, tool)(
      { ...fields, ...paymentFields(tool, meta[PAYMENT]) },
      {
        ...(idempotencyKey !== undefined && { idempotencyKey }),
        ...(meta[BUDGET] !== undefined && { budgetSession: String(meta[BUDGET]) }),
        ...(signal !== undefined && { signal }),
      },
    );
    if (tool.name === REGISTER) apiKey = keyIn(answer) ?? apiKey;
    return withReceipt(tool.toResult(answer), seen.paymentResponse);
  }

  return {
    async call(wanted) {
      const seen: SeenHeaders = {};
      try {
        return await send(wanted, seen);
      } catch (error) {
        wanted.signal?.throwIfAborted();
        const refused = seen.paymentRequired === undefined ? failed(error) : challengeResult(seen.paymentRequired);
        return withReceipt(refused, seen.paymentResponse);
      }
    },
  };
}

function methodOf(market: object, { operation }: Tool): Method {
  const method = (market as Record<string, Record<string, Method>>)[operation.group]?.[operation.method];
  if (method === undefined) throw new Error(`${operation.name} is not in the SDK.`);
  return method;
}

/** Refuses missing arguments by the tool's names; the SDK would report path arguments by the operation's names. */
function refuseMissing({ definition }: Tool, args: Readonly<Record<string, unknown>>): void {
  const missing = (definition.inputSchema.required ?? []).filter((name) => args[name] === undefined || args[name] === '');
  if (missing.length === 0) return;
  const issues = missing.map((field) => ({ field, message: 'Required.' }));
  throw new MarketError('invalid_input', { message: `Missing: ${missing.join(', ')}.`, data: { issues } });
}

interface SeenHeaders {
  paymentRequired?: Readonly<Record<string, unknown>>;
  paymentResponse?: Readonly<Record<string, unknown>>;
}

/** Reads the x402 headers of answers, which the SDK does not return, and sends the caller's wallet proof as headers. */
function watchedFetch(fetch: typeof globalThis.fetch, proof: Readonly<Record<string, string>>, seen: SeenHeaders): typeof globalThis.fetch {
  return async (address, init) => {
    const response = await fetch(address, { ...init, headers: { ...(init?.headers as Record<string, string>), ...proof } });
    const required = response.status === 402 ? readHeader(response, 'payment-required') : undefined;
    if (required !== undefined) seen.paymentRequired = required;
    const receipt = readHeader(response, 'payment-response');
    if (receipt !== undefined) seen.paymentResponse = receipt;
    return response;
  };
}

function readHeader({ headers }: Response, name: string): Readonly<Record<string, unknown>> | undefined {
  const text = headers.get(name);
  if (text === null) return undefined;
  try {
    return JSON.parse(Buffer.from(text, 'base64').toString()) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

function proofHeaders(signature: object | undefined): Record<string, string> {
  const given = Object.entries(signature ?? {}).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [`x-market-${name.replaceAll('_', '-')}`, String(value)]));
}

/** The `payment_signature` field, if the operation takes x402 payments. */
function paymentFields({ operation }: Tool, payment: unknown): Record<string, string> {
  const takesPayment = operation.spec.input?.headers?.shape['payment_signature'] !== undefined;
  if (payment === undefined || !takesPayment) return {};
  return { payment_signature: Buffer.from(JSON.stringify(payment)).toString('base64') };
}

function withReceipt(result: ToolResult, receipt: SeenHeaders['paymentResponse']): ToolResult {
  return receipt === undefined ? result : { ...result, _meta: { ...result._meta, [PAYMENT_RESPONSE]: receipt } };
}

function keyIn({ data }: Readonly<Record<string, unknown>>): string | undefined {
  const key = (data as { api_key?: unknown } | undefined)?.api_key;
  return typeof key === 'string' ? key : undefined;
}

function failed(error: unknown): ToolResult {
  if (error instanceof MarketApiError) {
    const { code, status, message, retryAfterSeconds } = error;
    return errorResult({ code, status, message, retryAfterSeconds, ...detailsOf(error) });
  }
  if (error instanceof MarketError)
    return errorResult({ code: error.code, status: error.status, message: error.message, data: error.data });
  // The SDK refuses arguments that cannot be sent, such as `..` in a path.
  if (error instanceof TypeError) return errorResult({ code: 'invalid_input', status: 400, message: error.message });
  throw error;
}

/** Moves `next_actions` out of the data, as the remote MCP server does. */
function detailsOf({ data, extras, nextActions }: MarketApiError): Pick<ToolRefusal, 'data' | 'next_actions'> {
  if (nextActions.length === 0) return { data: data ?? (Object.keys(extras).length === 0 ? undefined : extras) };
  const { next_actions: _offered, ...rest } = data ?? {};
  return { data: rest, next_actions: nextActions };
}
