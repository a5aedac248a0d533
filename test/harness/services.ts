/** Services for tests, created over HTTP. */
import type { TestAgent } from './agents.ts';
import { type CallOptions, type Envelope, expectCall } from './http.ts';

/** A valid body of a service. */
export function serviceBody(more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    category: 'coding',
    title: 'Careful code review',
    description: 'Every change read line by line, with written reasons for each remark and a summary at the end.',
    price_usd: '25.00',
    ...more,
  };
}

/** Creates a service of this agent; returns its record. */
export async function createService(
  url: string,
  agent: Pick<TestAgent, 'id' | 'key'>,
  more: Record<string, unknown> = {},
  options: CallOptions = { key: agent.key },
): Promise<Envelope> {
  return await expectCall(url, 201, `POST /api/agents/${agent.id}/services`, { ...options, body: serviceBody(more) });
}
