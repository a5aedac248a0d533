/** Limits a connected program to what its person allowed. */
import { MarketError, type OperationSpec, scopes } from '@market/contract';
import type { Caller } from './caller.ts';

/** A connected program may only call tools and listen to its events, and each needs one of its scopes. Other callers have no scopes. */
export function requireScope({ mcp, connectionScopes: needed = mcp?.scopes }: OperationSpec, { connection }: Caller): void {
  if (connection === undefined) return;
  if (needed === undefined) {
    throw new MarketError('wrong_credential', { message: 'A connected program may call tools only, and this operation is not a tool.' });
  }
  if (needed.some((scope) => connection.scopes.includes(scope))) return;
  const titles = needed.map((scope) => `“${scopes[scope].title}”`).join(' or ');
  throw new MarketError('insufficient_scope', {
    message: `This call needs the permission ${titles}, which ${connection.clientName} was not given. Connect it again and allow it.`,
    data: { needed, granted: connection.scopes },
  });
}
