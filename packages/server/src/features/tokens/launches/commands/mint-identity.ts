/** POST /api/agents/{id}/said: mints the agent's identity, once, paid by the agent's own wallet. */
import { MarketError } from '@market/contract';
import { requireFunder } from '../../../../access/authority/owners.ts';
import type { HandlersOf } from '../../../../access/call.ts';
import type { Caller } from '../../../../access/caller.ts';
import { planMint, requestMint, requireMintFunds, requireMintWallet } from '../../../agent-wallets/index.ts';
import { type AgentRow, findAgent } from '../../../agents/index.ts';
import type { LaunchesContext } from '../launches-context.ts';
import { planMintKey } from '../plan-mint-key.ts';
import { type Identity, insertMint, lockIdentity, readIdentity } from '../repository.ts';
import { requireMade } from '../require-made.ts';

const KIND = 'said_identity';

export function mintIdentity({ agentWallets, files }: LaunchesContext): HandlersOf<'said'>['mint'] {
  const { database } = agentWallets;
  return async ({ id }, call) => {
    const agent = await findAgent(database.db, id);
    if (agent === undefined) throw new MarketError('agent_not_found');
    const by = await requireFunder(database.db, call, agent);
    requireNoIdentity(await readIdentity(database.db, agent.id));
    const wallet = await requireMintWallet(agentWallets, agent.id);
    const funds = await requireMintFunds(agentWallets, agent, KIND, wallet.address);
    const isOurs = await isShowable(files, agent, call.caller);
    const key = await planMintKey(agentWallets, agent.id, KIND);
    const end = await requestMint(agentWallets, call, funds, {
      by,
      mint: key.mint,
      async store(tx, movementId) {
        requireNoIdentity(await lockIdentity(tx, agent.id));
        const { name, symbol, uri } = planMint(agentWallets, agent, KIND, key.mint, '');
        const { description, avatarUrl: imageUrl } = agent;
        await insertMint(tx, { movementId, agentId: agent.id, kind: KIND, ...key, name, symbol, uri, description, imageUrl });
        if (isOurs && imageUrl !== null) await files.show(tx, imageUrl, movementId);
      },
    });
    const { reference } = requireMade(end);
    return { data: { said_wallet: wallet.address, said_pda: key.mint, tx_signature: reference } };
  };
}

/** An old avatar may name somebody else's file, which stays private. */
async function isShowable(files: LaunchesContext['files'], agent: AgentRow, by: Caller): Promise<boolean> {
  if (agent.avatarUrl === null) return false;
  try {
    return (await files.findPicture(agent.avatarUrl, by, agent)) !== undefined;
  } catch (error) {
    if (error instanceof MarketError && error.code === 'foreign_upload') return false;
    throw error;
  }
}

function requireNoIdentity({ saidWallet, open }: Identity): void {
  if (saidWallet !== null) throw new MarketError('said_exists', { data: { said_wallet: saidWallet } });
  if (open) throw new MarketError('said_in_progress');
}
