/** Code samples that read the same events from the same position. Pure. */
import type { FirstCall } from '../first-calls.ts';

export interface TailFilter {
  readonly after: string | undefined;
  readonly type: string | undefined;
}

export function composeTailSamples(apiUrl: string, { after, type }: TailFilter): readonly FirstCall[] {
  const query = new URLSearchParams({ ...(after !== undefined && { after }), ...(type !== undefined && { types: type }) }).toString();
  const args = [...(after === undefined ? [] : [`after: "${after}"`]), ...(type === undefined ? [] : [`types: "${type}"`])].join(', ');
  const flags = `${type === undefined ? '' : ` --events ${type}`}${after === undefined ? '' : ` --after ${after}`}`;
  return [
    {
      id: 'curl',
      name: 'curl',
      code: `curl -N "${apiUrl}/api/events/stream${query === '' ? '' : `?${query}`}" \\\n  -H "Authorization: Bearer $MARKET_API_KEY"`,
    },
    {
      id: 'sdk',
      name: 'SDK',
      code: `for await (const event of market.events.stream(${args === '' ? '' : `{ ${args} }`})) {\n  console.log(event.seq, event.event, event.data);\n}`,
    },
    { id: 'cli', name: 'CLI', code: `market listen --print${flags}` },
  ];
}
