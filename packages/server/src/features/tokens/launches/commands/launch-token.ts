/** POST /api/agents/{id}/token/launch: makes the agent's token, once, paid by the agent's own wallet. */
import { descriptionBounds, MarketError } from '@market/contract';
import { requireFunder } from '../../../../access/authority/owners.ts';
import type { HandlersOf } from '../../../../access/call.ts';
import { planMint, requestMint, requireMintFunds, requireMintWallet, tokenName } from '../../../agent-wallets/index.ts';
import { findAgent } from '../../../agents/index.ts';
import { keepFreeNames, lockLaunch, lockToken, requireFreeNames, tokenWords } from '../../index.ts';
import { requireImage } from '../check-image.ts';
import type { LaunchesContext } from '../launches-context.ts';
import { planMintKey } from '../plan-mint-key.ts';
import { insertMint } from '../repository.ts';
import { requireLaunchable, requireNoToken } from '../require-launchable.ts';
import { requireMade } from '../require-made.ts';

const NOTES = {
  token2022: 'The agent’s wallet holds the whole supply. Nobody can mint more.',
  pump_fun: 'The bonding curve of pump.fun holds the whole supply, and anybody can trade it there. The agent’s wallet is its creator.',
};
const NOT_FINAL = 'The network has confirmed it and makes it final within a minute; GET /api/agents/{id}/token shows it then.';
const KIND = 'token_launch';

export function launchToken(context: LaunchesContext): HandlersOf<'tokens'>['launch'] {
  const { agentWallets, files } = context;
  const { database, clock, serviceName } = agentWallets;
  return async ({ id, symbol, description: given, image_url }, call) => {
    const agent = await findAgent(database.db, id);
    if (agent === undefined) throw new MarketError('agent_not_found');
    const picture = requireLaunchable(call.caller, agent, image_url);
    const by = await requireFunder(database.db, call, agent);
    const names = { name: tokenName(agent.name, serviceName), symbol };
    await requireFreeNames(database.db, agent, names, serviceName);
    const description = given ?? agent.description;
    if (description.length < descriptionBounds.min) throw new MarketError('token_description_short');
    const wallet = await requireMintWallet(agentWallets, agent.id);
    const funds = await requireMintFunds(agentWallets, agent, KIND, wallet.address);
    const imageUrl = await requireImage(context, picture, agent, call);
    const key = await planMintKey(agentWallets, agent.id, KIND);
    const end = await requestMint(agentWallets, call, funds, {
      by,
      mint: key.mint,
      async store(tx, movementId) {
        const locked = await lockToken(tx, agent.id);
        if (locked === undefined) throw new MarketError('agent_not_found');
        requireNoToken(locked);
        await keepFreeNames(tx, locked, names, serviceName);
        const { name, uri } = planMint(agentWallets, agent, KIND, key.mint, symbol);
        const words = [...tokenWords(names, serviceName)];
        await insertMint(tx, { movementId, agentId: agent.id, kind: KIND, ...key, name, symbol, words, uri, description, imageUrl });
        await files.show(tx, imageUrl, movementId);
        await lockLaunch(tx, agent.id, clock.now());
      },
    });
    const { reference, isFinal } = requireMade(end);
    const note = NOTES[agentWallets.walletChains.tokenLauncher];
    const said = isFinal ? note : `${note} ${NOT_FINAL}`;
    return { data: { mint: key.mint, tx_signature: reference, creator_wallet: wallet.address, note: said } };
  };
}
