/** Notifications about bounties: to the poster, and to the agents that claimed and their owners. */
import { type AgentId, type BountyEventType, formatUsd, type OrderId } from '@market/contract';
import { z } from 'zod';
import type { StoredEvent } from '../../platform/events/event-log.ts';
import { because, type Words, words } from './words.ts';

const context = z.object({
  title: z.string(),
  budget_micros: z.string().transform(BigInt),
  order_id: z.string().optional(),
  reason: z.string().optional(),
  poster: z.object({ user_id: z.string().nullable(), wallet: z.string() }).nullable(),
  claimants: z.array(
    z.object({
      agent_id: z.string(),
      agent_name: z.string(),
      owner_wallet: z.string().nullable(),
      owner_user_id: z.string().nullable(),
    }),
  ),
});

const staked = z.object({ amount_usd: z.string().optional() });

interface About {
  readonly title: string;
  readonly budget: string;
  readonly agent: string;
  /** Reason of the operator who took the bounty down. */
  readonly reason: string | undefined;
  /** Amount of the stake, in events about one. */
  readonly stake: string;
}

interface BountySides {
  readonly poster?: Words;
  readonly claimant?: Words;
}

const notices: Readonly<Record<Exclude<BountyEventType, 'bounty.posted'>, (about: About) => BountySides>> = {
  'bounty.claimed': ({ title, agent }) => ({
    poster: words('bounty_claimed', 'New claim', `${agent} claims your bounty ${title}. Compare the claims and accept one.`),
  }),
  'bounty.claim_withdrawn': ({ title, agent }) => ({
    poster: words('bounty_claim_withdrawn', 'Claim withdrawn', `${agent} took its claim on your bounty ${title} back.`),
  }),
  'bounty.claim_lapsed': ({ title, agent }) => ({
    poster: words(
      'bounty_claim_lapsed',
      'Claim lapsed',
      `The claim of ${agent} on your bounty ${title} was held and not accepted, so it lapsed.`,
    ),
    claimant: words(
      'provider_claim_lapsed',
      'Claim lapsed',
      `The poster of the bounty ${title} did not decide while the claim of ${agent} was held. ${agent} may claim again.`,
    ),
  }),
  'bounty.invited': ({ title, budget, agent }) => ({
    claimant: words(
      'provider_bounty_invited',
      'Proposal invited',
      `The poster of the bounty ${title} (${budget} USDC) invited ${agent} and may accept it now. Withdraw if it no longer has time.`,
    ),
  }),
  'bounty.accepted': ({ title, budget, agent }) => ({
    poster: words('bounty_accepted', 'Claim accepted', `${agent} works on your bounty ${title}. The payment is held until you approve.`),
    claimant: words('provider_bounty_won', 'Bounty won', `${agent} won the bounty ${title}: ${budget} USDC is held for it. You can begin.`),
  }),
  'bounty.claim_rejected': ({ title, agent }) => ({
    claimant: words('provider_bounty_lost', 'Another agent was chosen', `The claim of ${agent} on the bounty ${title} was not chosen.`),
  }),
  'bounty.stake_returned': ({ title, agent, stake }) => ({
    claimant: words(
      'provider_stake_returned',
      'Stake returned',
      `The stake of ${stake} USDC that ${agent} left for the bounty ${title} is on its way back to the wallet that paid it.`,
    ),
  }),
  'bounty.stake_forfeited': ({ title, agent, stake }) => ({
    poster: words(
      'bounty_stake_forfeited',
      'Stake of the winner',
      `${agent} delivered nothing for your bounty ${title}. Its stake of ${stake} USDC is on its way to the wallet that paid.`,
    ),
    claimant: words(
      'provider_stake_forfeited',
      'Stake forfeited',
      `${agent} delivered nothing for the bounty ${title} in time. Its stake of ${stake} USDC goes to the poster.`,
    ),
  }),
  'bounty.cancelled': ({ title, reason }) =>
    reason === undefined
      ? {
          poster: words('bounty_cancelled', 'Bounty cancelled', `Your bounty ${title} is off the board. Nothing was paid.`),
          claimant: words('provider_bounty_cancelled', 'Bounty cancelled', `The poster cancelled the bounty ${title}.`),
        }
      : {
          poster: words(
            'bounty_taken_down',
            'Bounty taken down',
            `An operator took your bounty ${title} off the board. Nothing was paid.${because(reason)}`,
          ),
          claimant: words('provider_bounty_cancelled', 'Bounty taken down', `An operator took the bounty ${title} off the board.`),
        },
  'bounty.expired': ({ title }) => ({
    poster: words('bounty_expired', 'Bounty expired', `No claim on your bounty ${title} was accepted in time. Nothing was paid.`),
    claimant: words('provider_bounty_expired', 'Bounty expired', `The poster of the bounty ${title} accepted no claim in time.`),
  }),
};

export const bountyTypes: readonly string[] = Object.keys(notices);

export interface BountyNotice {
  readonly text: Words;
  readonly userId: string | null;
  readonly wallet: string | null;
  /** The agent, if it is notified in addition to its owner. */
  readonly agentId: AgentId | null;
  readonly orderId: OrderId | null;
}

export function noticesOfBounty(event: StoredEvent): readonly BountyNotice[] {
  const { title, budget_micros: budget, order_id: order, reason, poster, claimants } = context.parse(event.context);
  const write = notices[event.type as keyof typeof notices];
  const { amount_usd: stake = '' } = staked.parse(event.data);
  const about = (agent: string): About => ({ title: `“${title}”`, budget: formatUsd(budget), agent, reason, stake });
  const orderId = (order ?? null) as OrderId | null;
  const toPoster = poster === null ? undefined : write(about(claimants[0]?.agent_name ?? '')).poster;
  return [
    ...(toPoster === undefined || poster === null
      ? []
      : [{ text: toPoster, userId: poster.user_id, wallet: poster.wallet, agentId: null, orderId }]),
    ...claimants.flatMap((claimant) => {
      const text = write(about(claimant.agent_name)).claimant;
      const agentId = claimant.agent_id as AgentId;
      return text === undefined ? [] : [{ text, userId: claimant.owner_user_id, wallet: claimant.owner_wallet, agentId, orderId }];
    }),
  ];
}
