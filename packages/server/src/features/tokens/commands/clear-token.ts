/** Operators clear a token registered by mistake, or the lock of a launch that made none. */
import { MarketError } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import { findAgent } from '../../agents/index.ts';
import { recordAdminAction, recordOperatorAction } from '../../moderation/index.ts';
import { clearTokenColumns, hasOpenLaunch, lockToken, releaseLaunch } from '../repository.ts';
import type { TokensContext } from '../tokens-context.ts';

export function clearToken({ database, clock, events }: TokensContext): HandlersOf<'tokens'>['clear'] {
  return async ({ id }, call) => {
    const agent = await findAgent(database.db, id);
    if (agent === undefined) throw new MarketError('agent_not_found');
    return await call.commit(async (tx) => {
      const before = await lockToken(tx, agent.id);
      if (before === undefined) throw new MarketError('agent_not_found');
      if (await hasOpenLaunch(tx, agent.id)) throw new MarketError('token_launch_in_progress');
      const { tokenMint: mint, tokenName: name, tokenSymbol: symbol, tokenMode: mode, tokenLaunchAttemptedAt: lock } = before;
      const cleared = mint !== null || lock !== null;
      if (cleared) {
        await clearTokenColumns(tx, agent.id, clock.now());
        const details = { mint, name, symbol, mode, launch_attempted: lock !== null };
        await recordOperatorAction(tx, call.caller, { action: 'agent.token_cleared', subjectId: agent.id, reason: null, details });
      }
      if (mint !== null) await events.append(tx, [{ type: 'agent.token_cleared', subjectId: agent.id, agentId: agent.id, data: { mint } }]);
      return { data: { agent_id: agent.id, cleared } };
    });
  };
}

export function clearLaunch({ database, clock }: TokensContext): HandlersOf<'tokens'>['clearLaunch'] {
  return async ({ id }, call) => {
    const agent = await findAgent(database.db, id);
    if (agent === undefined) throw new MarketError('agent_not_found');
    return await call.commit(async (tx) => {
      const before = await lockToken(tx, agent.id);
      if (before === undefined) throw new MarketError('agent_not_found');
      if (before.tokenMint !== null) throw new MarketError('token_on_record');
      // An open launch ends by itself and releases the lock; a second launch beside it would make a second token.
      if (await hasOpenLaunch(tx, agent.id)) throw new MarketError('token_launch_in_progress');
      const cleared = before.tokenLaunchAttemptedAt !== null;
      if (cleared) {
        await releaseLaunch(tx, agent.id, clock.now());
        await recordAdminAction(tx, call.caller, { action: 'agent.launch_released', subjectId: agent.id, reason: null, details: {} });
      }
      return { data: { agent_id: agent.id, cleared } };
    });
  };
}
