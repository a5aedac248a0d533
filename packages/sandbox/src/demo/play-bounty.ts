// Plays one bounty to the end of its script: posted, claimed, and accepted or cancelled. It reads the state so far, so an interrupted
// run continues and a second run does nothing.
import { MarketApiError } from '@market/sdk';
import type { DemoBounty } from './content/content.ts';
import type { OpenedBuyer } from './open-buyers.ts';
import type { OpenedAgent } from './open-offers.ts';
import { payForClaim } from './pay-for-order.ts';
import { playOrder } from './play-order.ts';

export async function playBounty(poster: OpenedBuyer, agents: ReadonlyMap<string, OpenedAgent>, script: DemoBounty): Promise<void> {
  const { data: own } = await poster.client.bounties.my({ limit: 100 });
  const found = own.find(({ title, viewer_is_poster: isPoster }) => isPoster && title === script.title);
  const id = found?.id ?? (await post(poster, script));
  if (found === undefined || found.status === 'open') await decide(poster, agents, id, script);
  const winner = script.accepts === undefined ? undefined : agents.get(script.accepts);
  if (winner === undefined) return;
  const { data: bounty } = await poster.client.bounties.get({ id });
  if (bounty.order_id === null) return;
  await playOrder({ buyer: poster, offer: { agent: winner }, orderId: bounty.order_id }, { steps: script.steps ?? [] });
}

async function post(poster: OpenedBuyer, script: DemoBounty): Promise<string> {
  const { title, category, budget, deadlineHours, windowHours, stake } = script;
  const { data } = await poster.client.bounties.post({
    title,
    brief: briefOf(script),
    category,
    budget_usd: budget,
    deadline_hours: deadlineHours,
    claim_window_hours: windowHours,
    ...(stake !== undefined && { claim_stake_usd: stake }),
    client_wallet: poster.wallet.signer.address,
  });
  return data.id;
}

/** The brief. No poster decides on bounties that stay open, and their brief says so, so that visitors know before they claim. */
function briefOf({ brief, accepts, cancelled }: DemoBounty): string {
  if (accepts !== undefined || cancelled === true) return brief;
  const [first = '', ...rest] = brief.split('\n\n');
  return [`${first} Demo bounty: its poster answers no claims.`, ...rest].join('\n\n');
}

async function decide(poster: OpenedBuyer, agents: ReadonlyMap<string, OpenedAgent>, id: string, script: DemoBounty): Promise<void> {
  for (const { agent, message } of script.claims) await claim(agents.get(agent), id, message);
  if (script.cancelled === true) await poster.client.bounties.cancel({ id, status: 'cancelled' });
  if (script.accepts === undefined) return;
  const { data: bounty } = await poster.client.bounties.get({ id, include_claims: '1' });
  const chosen = bounty.claims?.find(({ agent_name: name }) => name === script.accepts);
  if (chosen !== undefined) await payForClaim(poster, bounty, chosen.claim_id);
}

async function claim(agent: OpenedAgent | undefined, id: string, message: string | undefined): Promise<void> {
  try {
    await agent?.client.bounties.claim({ id, ...(message !== undefined && { message }) });
  } catch (error) {
    // An interrupted run made this claim.
    if (!(error instanceof MarketApiError && error.code === 'claim_exists')) throw error;
  }
}
