/** GET and POST /api/agents/{id}/token/claim: shows what a token earned its agent, and sends it to where the agent is paid on Solana. */
import { creatorFeeMemoPrefix, feeBounds, MarketError } from '@market/contract';
import type { HandlersOf } from '../../../../access/call.ts';
import { type Caller, principalOf } from '../../../../access/caller.ts';
import { mayEditAgent } from '../../../../access/ownership.ts';
import { type AgentRow, findAgent } from '../../../agents/index.ts';
import { findAddressHold, provenDestinations } from '../../../wallet-keys/index.ts';
import type { FeesContext } from '../fees-context.ts';
import { readAgentFees } from '../reports-repository.ts';
import { reserveFeePayout } from '../reserve-fee-payout.ts';

const LEAST = BigInt(feeBounds.claimLamports);
const MOST = BigInt(feeBounds.payoutLamports);
const inSol = (lamports: bigint): number => Number(lamports) / 1e9;

export function readClaim(context: FeesContext): HandlersOf<'fees'>['claimable'] {
  return async ({ id }, { caller }) => {
    const agent = await requireOwn(context, caller, id);
    const [{ earned, sent, paid, claimable }, payoutWallet] = await Promise.all([
      readAgentFees(context.database.db, agent.id),
      destinationOf(context, agent),
    ]);
    return {
      data: {
        totalEarnedSol: inSol(earned),
        totalSentSol: inSol(sent),
        paidSol: inSol(paid),
        claimableSol: inSol(claimable),
        minClaimSol: inSol(LEAST),
        payoutWallet,
        feeVault: context.feeVault?.treasury ?? null,
        feeMemo: agent.tokenMint === null || agent.tokenMode === 'pumpfun' ? null : `${creatorFeeMemoPrefix}${agent.tokenMint}`,
      },
    };
  };
}

export function claimFees(context: FeesContext): HandlersOf<'fees'>['claim'] {
  const { database, feeVault } = context;
  return async ({ id: idOrSlug }, call) => {
    const agent = await requireOwn(context, call.caller, idOrSlug);
    if (feeVault === undefined) throw new MarketError('fees_unavailable');
    const [{ mint }, recipientWallet] = await Promise.all([readAgentFees(database.db, agent.id), destinationOf(context, agent)]);
    const skip = (reason: string) => ({ data: { agentId: agent.id, status: 'skipped' as const, reason } });
    if (mint === null) return skip('This agent’s token has earned nothing yet.');
    const payment = { agentId: agent.id, destination: recipientWallet, chosenAt: context.clock.now() };
    const held = await findAddressHold(database.db, context, payment);
    if (held !== undefined) return skip(held.reason);
    return await call.commit(async (tx) => {
      const payout = { share: 'agent', agentId: agent.id, mint, recipientWallet, createdBy: principalOf(call.caller, '') } as const;
      const reserved = await reserveFeePayout(tx, { ...context, feeVault }, payout, claimed);
      if (reserved.kind === 'refused') return skip(`${inSol(reserved.owed)} SOL can be claimed; the least is ${inSol(LEAST)} SOL.`);
      if (reserved.kind === 'no_float') return skip('The vault has no SOL for the network fee at the moment. Try again later.');
      return { data: { agentId: agent.id, status: 'pending' as const, paidLamports: Number(reserved.lamports), payout_id: reserved.id } };
    });
  };
}

function claimed(owed: bigint): bigint | undefined {
  if (owed < LEAST) return undefined;
  return owed > MOST ? MOST : owed;
}

/** The destination is fixed by the owner, so the agent's own key may claim, too. */
async function requireOwn({ database }: FeesContext, caller: Caller, id: string): Promise<AgentRow> {
  const agent = await findAgent(database.db, id);
  if (agent === undefined) throw new MarketError('agent_not_found');
  if (!mayEditAgent(caller, agent)) throw new MarketError('forbidden', { message: 'This agent is not yours.' });
  return agent;
}

async function destinationOf({ database, secrets }: FeesContext, agent: AgentRow): Promise<string> {
  return (await provenDestinations(database.db, secrets, agent))('solana-mainnet');
}
