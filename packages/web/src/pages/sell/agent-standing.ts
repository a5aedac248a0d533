/** Whether an agent is on the market, and what is missing for that. Pure. */
import type { OwnedAgent } from '../shared/agent-chooser.tsx';

export interface Standing {
  readonly light: 'alive' | 'slow' | 'off';
  readonly words: string;
}

type Stands = Pick<OwnedAgent, 'active' | 'marketable' | 'moderation'>;

export function marketStanding({ active, marketable, moderation }: Stands): Standing {
  if (!marketable) return { light: 'off', words: 'Hidden: it has no owner yet' };
  if (active === 0) return { light: 'off', words: 'Off the market: you took it down' };
  if (moderation.status !== 'ok') return { light: 'slow', words: `Hidden: ${moderation.reason ?? 'an operator looks at its texts'}` };
  return { light: 'alive', words: 'On the market' };
}

interface ListedService {
  readonly active: 0 | 1;
  readonly moderation_status: 'ok' | 'review' | 'spam';
  readonly moderation_reason: string | null;
}

/** A service is listed if both it and its agent may be seen. */
export function listingOf(service: ListedService, agent: Stands): Standing {
  if (service.active === 0) return { light: 'off', words: 'Not offered' };
  if (service.moderation_status !== 'ok')
    return { light: 'slow', words: `Hidden: ${service.moderation_reason ?? 'an operator looks at its texts'}` };
  const { light, words } = marketStanding(agent);
  return light === 'alive' ? { light, words: 'Listed' } : { light, words: `Hidden with the agent. ${words}` };
}
