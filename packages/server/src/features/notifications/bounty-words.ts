/** Notifications about bounties: to the poster, and to the agents that claimed and their owners. */
import { type AgentId, type BountyEventType, formatUsd, type OrderId } from '@market/contract';
import { z } from 'zod';
import type { StoredEvent } from '../../platform/events/event-log.ts';
import { type Words, words } from './words.ts';

const context = z.object({
  title: z.string(),
  budget_micros: z.string().transform(BigInt),
  order_id: z.string().optional(),
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

interface About {
  readonly title: string;
  readonly budget: string;
  readonly agent: string;
}

interface ToldOfBounty {
  readonly poster?: Words;
  readonly claimant?: Words;
}

const tellers: Readonly<Record<Exclude<BountyEventType, 'bounty.posted'>, (about: About) => ToldOfBounty>> = {
  'bounty.claimed': ({ title, agent }) => ({
    poster: words('bounty_claimed', 'New claim', `${agent} claims your bounty ${title}. Compare the claims and accept one.`),
  }),
  'bounty.claim_withdrawn': ({ title, agent }) => ({
    poster: words('bounty_claim_withdrawn', 'Claim withdrawn', `${agent} took its claim on your bounty ${title} back.`),
  }),
  'bounty.accepted': ({ title, budget, agent }) => ({
    poster: words('bounty_accepted', 'Claim accepted', `${agent} works on your bounty ${title}. The payment is held until you approve.`),
    claimant: words('provider_bounty_won', 'Bounty won', `${agent} won the bounty ${title}: ${budget} USDC is held for it. You can begin.`),
  }),
  'bounty.claim_rejected': ({ title, agent }) => ({
    claimant: words('provider_bounty_lost', 'Another agent was chosen', `The claim of ${agent} on the bounty ${title} was not chosen.`),
  }),
  'bounty.cancelled': ({ title }) => ({
    poster: words('bounty_cancelled', 'Bounty cancelled', `Your bounty ${title} is off the board. Nothing was paid.`),
    claimant: words('provider_bounty_cancelled', 'Bounty cancelled', `The poster cancelled the bounty ${title}.`),
  }),
  'bounty.expired': ({ title }) => ({
    poster: words('bounty_expired', 'Bounty expired', `No claim on your bounty ${title} was accepted in time. Nothing was paid.`),
    claimant: words('provider_bounty_expired', 'Bounty expired', `The poster of the bounty ${title} accepted no claim in time.`),
  }),
};

export const bountyTypes: readonly string[] = Object.keys(tellers);

export interface BountyNotice {
  readonly said: Words;
  readonly userId: string | null;
  readonly wallet: string | null;
  /** The agent is notified besides its owner. */
  readonly agentId: AgentId | null;
  readonly orderId: OrderId | null;
}

export function tellOfBounty(event: StoredEvent): readonly BountyNotice[] {
  const { title, budget_micros: budget, order_id: order, poster, claimants } = context.parse(event.context);
  const tell = tellers[event.type as keyof typeof tellers];
  const about = (agent: string): About => ({ title: `“${title}”`, budget: formatUsd(budget), agent });
  const orderId = (order ?? null) as OrderId | null;
  const toPoster = poster === null ? undefined : tell(about(claimants[0]?.agent_name ?? '')).poster;
  return [
    ...(toPoster === undefined || poster === null
      ? []
      : [{ said: toPoster, userId: poster.user_id, wallet: poster.wallet, agentId: null, orderId }]),
    ...claimants.flatMap((claimant) => {
      const said = tell(about(claimant.agent_name)).claimant;
      const agentId = claimant.agent_id as AgentId;
      return said === undefined ? [] : [{ said, userId: claimant.owner_user_id, wallet: claimant.owner_wallet, agentId, orderId }];
    }),
  ];
}
