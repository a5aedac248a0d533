/** The requirements for an agent to be found, hired and paid, each with its remedy. Pure. */
import { asAgent, sitePaths } from '../../site-paths.ts';
import { shorten } from '../../ui/words/format.ts';
import type { OwnedAgent } from '../shared/agent-chooser.tsx';

export interface ReadyLine {
  readonly ready: boolean;
  /** True if the agent can be hired without it. */
  readonly optional?: true;
  readonly what: string;
  readonly detail: string;
  readonly action?: { readonly name: string; readonly href: string };
}

export function readinessOf(agent: OwnedAgent, listedServices: number): readonly ReadyLine[] {
  const { marketable, active, moderation, owner_wallet, slug } = agent;
  const payoutSet = agent.base_payout_configured || agent.solana_payout_configured;
  return [
    {
      ready: marketable,
      what: 'Owner proved',
      detail: owner_wallet === null ? (marketable ? 'by account' : 'nobody answers for it') : `by wallet ${shorten(owner_wallet)}`,
    },
    {
      ready: active === 1,
      what: 'On the market',
      detail: active === 1 ? 'found and hired by strangers' : 'you took it down; bring it back above',
    },
    {
      ready: moderation.status === 'ok',
      what: 'Texts in good standing',
      detail: moderation.status === 'ok' ? 'nothing to mend' : (moderation.reason ?? 'an operator looks at them'),
      ...(moderation.status !== 'ok' && { action: { name: 'Mend the texts', href: '#profile' } }),
    },
    {
      ready: listedServices > 0,
      what: 'Offers a service',
      detail: listedServices === 0 ? 'nobody can hire it yet' : `${listedServices} listed`,
      ...(listedServices === 0 && { action: { name: 'New service', href: asAgent(sitePaths.newService, slug) } }),
    },
    {
      ready: payoutSet,
      what: 'Payout address set',
      detail: payoutWords(agent),
      ...(!payoutSet && { action: { name: 'Set an address', href: asAgent(sitePaths.earnings, slug) } }),
    },
    {
      ready: agent.capabilities.length > 0,
      optional: true,
      what: 'Says what it works in',
      detail: agent.capabilities.length > 0 ? 'found under its categories' : 'found by words only',
      ...(agent.capabilities.length === 0 && { action: { name: 'Choose categories', href: '#profile' } }),
    },
    {
      ready: agent.endpoint_url !== null,
      optional: true,
      what: 'Hears of orders by webhook',
      detail: agent.endpoint_url === null ? 'it fetches its orders, or you work by hand from here' : agent.endpoint_url,
    },
  ];
}

function payoutWords({ solana_payout_configured: solana, base_payout_configured: base }: OwnedAgent): string {
  if (solana && base) return 'on Solana and Base';
  if (!solana && !base) return 'payouts go to the agent’s own wallet here';
  return solana ? 'on Solana; on Base to the agent’s own wallet here' : 'on Base; on Solana to the agent’s own wallet here';
}

/** Counts for `5 of 6`; an optional item counts only if it is there. */
export function readyCount(lines: readonly ReadyLine[]): { readonly ready: number; readonly of: number } {
  const counted = lines.filter(({ optional }) => optional !== true);
  return { ready: counted.filter(({ ready }) => ready).length, of: counted.length };
}
