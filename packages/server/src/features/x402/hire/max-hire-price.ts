/** The highest price of a hire, for spend policies: a price of a moment ago is still honoured. */
import type { AgentId } from '@market/contract';
import { findService } from '../../services/index.ts';
import type { X402Context } from '../x402-context.ts';
import { honouredPrices } from './hire.ts';

export interface HirePrice {
  readonly amountMicros: bigint;
  readonly providerAgentId: AgentId;
  readonly category: string;
}

export async function readMaxHirePrice({ database, clock }: X402Context, serviceId: string): Promise<HirePrice | undefined> {
  const service = await findService(database.db, serviceId);
  if (service === undefined) return undefined;
  const [most] = honouredPrices(service, clock.now()).toSorted((a, b) => (a.amountMicros > b.amountMicros ? -1 : 1));
  const amountMicros = most?.amountMicros ?? 0n;
  return { amountMicros, providerAgentId: service.agentId, category: service.category };
}
