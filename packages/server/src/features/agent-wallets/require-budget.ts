/** Counts calls per agent instead of per client address, and shows the budget in the usual headers. */
import { describeLimit, endpointOf, MarketError, type OperationSpec, type RateLimit } from '@market/contract';
import type { Call } from '../../access/call.ts';
import { refusalOverBudget } from '../../access/over-budget.ts';
import type { AgentWalletsContext } from './agent-wallets-context.ts';

export async function requireAgentBudget(
  { limiter, clock }: Pick<AgentWalletsContext, 'limiter' | 'clock'>,
  call: Pick<Call, 'setHeader'>,
  operation: OperationSpec & { readonly agentLimit: RateLimit },
  subject: string,
): Promise<void> {
  const endpoint = endpointOf(operation);
  const verdict = await limiter.hit(endpoint, subject, operation.agentLimit);
  const headers = {
    'X-RateLimit-Limit': String(verdict.limit),
    'X-RateLimit-Remaining': String(verdict.remaining),
    'X-RateLimit-Reset': String(Math.ceil(verdict.resetsAt.getTime() / 1000)),
  };
  for (const [name, value] of Object.entries(headers)) call.setHeader(name, value);
  if (verdict.allowed) return;
  const { message, retryAfterSeconds = 1 } = refusalOverBudget(
    verdict,
    clock,
    `Too many requests: ${endpoint} takes ${describeLimit({ ...operation.agentLimit, requests: verdict.limit })} and agent.`,
  );
  throw new MarketError('too_many_requests', { message, retryAfterSeconds, headers });
}
