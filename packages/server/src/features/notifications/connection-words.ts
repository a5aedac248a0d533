/** Notifications about connected programs. */
import { connectionEvents, isScope, scopes } from '@market/contract';
import type { StoredEvent } from '../../platform/events/event-log.ts';
import { type Words, words } from './words.ts';

export const connectionTypes: readonly string[] = Object.keys(connectionEvents);

export function noticeOfConnection(event: StoredEvent): Words {
  if (event.type === 'connection.made') {
    const { client_name: name, redirect_host: host, scopes: allowed } = connectionEvents['connection.made'].parse(event.data);
    const titles = allowed.filter(isScope).map((scope) => scopes[scope].title);
    return words(
      'connection_made',
      'Program connected',
      `“${name}” (${host}) may act for you: ${titles.join(', ')}. If this was not you, disconnect it now.`,
    );
  }
  const { client_name: name, reason, stopped_agents: agents = [] } = connectionEvents['connection.revoked'].parse(event.data);
  const stopped = agents.length === 0 ? '' : ` Agents it registered are deactivated: ${agents.join(', ')}. You can bring them back.`;
  if (reason === 'misuse') {
    return words(
      'connection_misused',
      'Program disconnected for safety',
      `A code or token of “${name}” was used twice, so somebody may have copied it. All its tokens are void. Connect it again if you trust it.${stopped}`,
    );
  }
  if (reason === 'replaced') {
    return words(
      'connection_replaced',
      'Earlier connection ended',
      `You connected “${name}” anew. The tokens of its earlier connection are void.`,
    );
  }
  if (reason === 'expired') {
    return words(
      'connection_expired',
      'Connection of a program ended',
      `The connection of “${name}” is over. It must ask you again.${stopped}`,
    );
  }
  const how = reason === 'person' ? `You disconnected “${name}”.` : `“${name}” gave its access back.`;
  return words('connection_revoked', 'Program disconnected', `${how} All its tokens are void.${stopped}`);
}
