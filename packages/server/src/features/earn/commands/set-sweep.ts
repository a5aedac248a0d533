/** The owner's sweep: USDC above an amount in an agent's wallet is deposited automatically. */
import { formatSixUsd, MarketError, parseUsd, toWireTime } from '@market/contract';
import { requireFunder } from '../../../access/authority/owners.ts';
import type { HandlersOf } from '../../../access/call.ts';
import { mayEditAgent } from '../../../access/ownership.ts';
import { findAgent } from '../../agents/index.ts';
import { findSweep, readSwept, type SweepRow, saveSweep, stopSweep } from '../agent-deposit-repository.ts';
import type { EarnContext } from '../earn-context.ts';
import { requireEarn, requireVaultSetting } from '../vaults.ts';

type Rule = Awaited<ReturnType<HandlersOf<'earn'>['sweep']>>['data'];

export function readSweep(context: EarnContext): HandlersOf<'earn'>['sweep'] {
  return async ({ id }, call) => {
    const { db } = context.database;
    const agent = await findAgent(db, id);
    if (agent === undefined) throw new MarketError('agent_not_found');
    if (!mayEditAgent(call.caller, agent)) throw new MarketError('forbidden');
    requireEarn(context);
    return { data: present(await findSweep(db, agent.id), await readSwept(db, agent.id)) };
  };
}

export function setSweep(context: EarnContext): HandlersOf<'earn'>['setSweep'] {
  return async ({ id, enabled, key, above_usd, daily_limit_usd }, call) => {
    const agent = await findAgent(context.database.db, id);
    if (agent === undefined) throw new MarketError('agent_not_found');
    const by = await requireFunder(context.database.db, call, agent);
    requireEarn(context);
    if (key !== undefined) requireVaultSetting(context, { key });
    const swept = await readSwept(context.database.db, agent.id);
    return await call.commit(async (tx) => {
      const known = await findSweep(tx, agent.id);
      const vaultKey = key ?? known?.vaultKey;
      const aboveMicros = above_usd === undefined ? known?.aboveMicros : parseUsd(above_usd);
      const dailyLimitMicros = daily_limit_usd === undefined ? known?.dailyLimitMicros : parseUsd(daily_limit_usd);
      if (vaultKey !== undefined && aboveMicros !== undefined && dailyLimitMicros !== undefined)
        await saveSweep(tx, { agentId: agent.id, vaultKey, aboveMicros, dailyLimitMicros, enabled, setBy: by });
      else if (known !== undefined) await stopSweep(tx, agent.id, by);
      return { data: present(await findSweep(tx, agent.id), swept) };
    });
  };
}

function present(sweep: SweepRow | undefined, swept: bigint): Rule {
  return {
    enabled: sweep?.enabled ?? false,
    key: sweep?.vaultKey ?? null,
    above_usd: formatSixUsd(sweep?.aboveMicros ?? 0n),
    daily_limit_usd: formatSixUsd(sweep?.dailyLimitMicros ?? 0n),
    moved_today_usd: formatSixUsd(swept),
    updated_at: sweep === undefined ? null : toWireTime(sweep.updatedAt),
    last_problem: sweep?.lastProblem ?? null,
  };
}
