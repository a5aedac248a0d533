/** Holds a connected program to what its person allowed. */
import { MarketError, type OperationSpec, scopes } from '@market/contract';
import type { Caller } from './caller.ts';

/** A connected program may call tools only, and each needs one of its scopes. Other callers have no scopes. */
export function requireScope({ mcp }: OperationSpec, { connection }: Caller): void {
  if (connection === undefined) return;
  if (mcp === undefined) {
    throw new MarketError('wrong_credential', { message: 'A connected program may call tools only, and this operation is not a tool.' });
  }
  if (mcp.scopes.some((scope) => connection.scopes.includes(scope))) return;
  const titles = mcp.scopes.map((scope) => `“${scopes[scope].title}”`).join(' or ');
  throw new MarketError('insufficient_scope', {
    message: `This tool needs the permission ${titles}, which ${connection.clientName} was not given. Connect it again and allow it.`,
    data: { needed: mcp.scopes, granted: connection.scopes },
  });
}
