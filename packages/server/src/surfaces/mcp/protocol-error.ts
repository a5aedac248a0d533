/** The JSON-RPC error for a refused method whose result cannot hold a refusal. It holds everything that the refusal of a tool would. */
import type { MarketError } from '@market/contract';
import { ProtocolError } from '@modelcontextprotocol/server';
import { rpcCodeOf } from './json-rpc.ts';
import { CHALLENGE_KEY } from './step-up.ts';

export function protocolErrorOf({ code, status, message, data, retryAfterSeconds, headers }: MarketError): ProtocolError {
  const challenge = headers['WWW-Authenticate'];
  return new ProtocolError(rpcCodeOf(status), message, {
    code,
    status,
    ...(data !== undefined && { data }),
    ...(retryAfterSeconds !== undefined && { retry_after_seconds: retryAfterSeconds }),
    ...(challenge !== undefined && { [CHALLENGE_KEY]: [challenge] }),
  });
}
