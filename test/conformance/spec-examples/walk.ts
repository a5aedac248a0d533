/** State shared by the calls of the specification in one walk, and how a row is sent. */
import type { TestAgent } from '../../harness/agents.ts';
import { call, type Envelope, type Reply } from '../../harness/http.ts';
import type { TestMarket } from '../../harness/market.ts';
import type { Buyer } from '../../harness/orders.ts';
import type { TestWallet } from '../../harness/people.ts';
import type { Receiver } from '../../harness/receiver.ts';

/** Results of earlier calls that later calls need. */
export interface Walk {
  readonly market: TestMarket;
  readonly url: string;
  readonly receiver: Receiver;
  readonly token: string;
  readonly owner: TestWallet;
  readonly buyers: { readonly base: Buyer; readonly solana: Buyer; readonly alt: Buyer };
  agent: Pick<TestAgent, 'id' | 'key'>;
  services: { fixed: string; quote: string; weekly: string };
  orders: { plain: string; quoted: string; revised: string; disputed: string; cancelled: string; workspace: string };
  uploaded: string;
  bounty: { id: string; claim: string };
}

type Route = `${string} /${string}`;
export interface Row {
  readonly section: string;
  /** The call in the words of the specification. */
  readonly written: string;
  readonly status?: number;
  readonly send: (walk: Walk) => Promise<Reply>;
  readonly keep?: (walk: Walk, answer: Envelope) => void;
}

export const json =
  (route: (walk: Walk) => Route, body: (walk: Walk) => unknown, who: 'agent' | 'nobody' = 'nobody') =>
  async (walk: Walk) =>
    await call(walk.url, route(walk), { body: await body(walk), ...(who === 'agent' && { key: walk.agent.key }) });
export const get =
  (route: (walk: Walk) => Route, who: 'agent' | 'nobody' = 'nobody') =>
  async (walk: Walk) =>
    await call(walk.url, route(walk), who === 'agent' ? { key: walk.agent.key } : {});
