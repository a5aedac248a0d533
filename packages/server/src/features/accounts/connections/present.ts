/** The wire shape of a connected program, for its person. */
import { formatUsd, isScope, type OperationAnswer, type Operations, toWireTime } from '@market/contract';
import type { Db } from '../../../platform/db/database.ts';
import type { ConnectionsContext } from './connections-context.ts';
import type { NamedConnection } from './repository.ts';

type WireConnection = OperationAnswer<Operations['connections']['update']>['data'];

export async function presentConnections(
  db: Db,
  { spendLimits }: ConnectionsContext,
  rows: readonly NamedConnection[],
): Promise<WireConnection[]> {
  const limits =
    rows.length === 0
      ? undefined
      : await spendLimits?.dailyLimitsOf(
          db,
          rows.map(({ programId }) => programId),
        );
  return rows.map((row) => {
    const limit = limits?.get(row.programId);
    return {
      id: row.id,
      client_name: row.clientName,
      client_uri: row.clientUri,
      redirect_host: row.redirectHost,
      scopes: row.scopes.filter(isScope),
      agent_id: row.agentId,
      agent_name: row.agentName,
      daily_limit_usd: limit === undefined ? null : formatUsd(limit),
      created_at: toWireTime(row.createdAt),
      last_used_at: row.lastUsedAt === null ? null : toWireTime(row.lastUsedAt),
      expires_at: toWireTime(row.expiresAt),
      made_agents: row.madeAgents,
    };
  });
}
