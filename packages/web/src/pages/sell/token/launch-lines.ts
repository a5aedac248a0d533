/** The requirements of a launch, each with its remedy. Pure. */
import { descriptionBounds } from '@market/contract';
import { asAgent, sitePaths } from '../../../site-paths.ts';
import type { OwnedAgent } from '../../shared/agent-chooser.tsx';
import type { ReadyLine } from '../readiness.ts';
import type { Funding } from '../wallet/wallet-words.ts';

const LEAST_DESCRIPTION = descriptionBounds.min;

export interface LaunchAgent extends Pick<OwnedAgent, 'slug' | 'avatar_url' | 'description' | 'twitter_username'> {
  /** The X account that the identity provider confirms for the signed-in owner. */
  readonly ownersHandle: string | null;
  /** Name of the picture uploaded for the token. */
  readonly picture: string | null;
}

export function launchLines(agent: LaunchAgent, { balance_sol, requirements }: Funding): readonly ReadyLine[] {
  const profile = { name: 'Open the profile', href: asAgent(sitePaths.sellProfile, agent.slug) };
  const handle = agent.twitter_username ?? agent.ownersHandle;
  const { required_sol, cost_sol } = requirements.launch;
  const isFunded = balance_sol !== null && required_sol !== null && balance_sol >= required_sol;
  return [
    {
      ready: agent.picture !== null || agent.avatar_url !== null,
      what: 'Picture',
      detail: agent.picture ?? (agent.avatar_url === null ? 'the agent has none; choose one below' : 'the agent’s own'),
    },
    {
      ready: handle !== null,
      what: 'X account',
      detail: handle === null ? 'link one to your account, so that buyers know who stands behind it' : `@${handle.replace(/^@/, '')}`,
      ...(handle === null && { action: { name: 'Open your account', href: sitePaths.account } }),
    },
    {
      ready: agent.description.length >= LEAST_DESCRIPTION,
      what: 'Description',
      detail:
        agent.description.length >= LEAST_DESCRIPTION
          ? 'the agent’s own'
          : `at least ${LEAST_DESCRIPTION} characters; it has ${agent.description.length}`,
      ...(agent.description.length < LEAST_DESCRIPTION && { action: profile }),
    },
    {
      ready: isFunded,
      what: 'SOL in the agent’s wallet',
      detail:
        required_sol === null || balance_sol === null
          ? 'the chain cannot be asked right now'
          : `${balance_sol} of ${required_sol} SOL; a launch costs up to ${cost_sol}`,
      ...(!isFunded && { action: { name: 'Fund the wallet', href: asAgent(sitePaths.agentWallet, agent.slug) } }),
    },
  ];
}
