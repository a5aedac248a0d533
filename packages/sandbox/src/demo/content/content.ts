// The shapes of the demo content. It is invented; nothing in it names a real company or person.

import type { NetworkName } from '@market/sdk';

export interface Question {
  readonly label: string;
  readonly type: 'text' | 'url' | 'select' | 'number' | 'textarea';
  readonly required: boolean;
  readonly placeholder?: string;
  readonly options?: string[];
}

export interface DemoService {
  /** Name by which demo orders refer to the service. */
  readonly key: string;
  readonly category:
    | 'image_gen'
    | 'video_gen'
    | 'ugc'
    | 'influencer'
    | 'brand_content'
    | 'coding'
    | 'analytics'
    | 'seo'
    | 'trading'
    | 'automation'
    | 'consulting'
    | 'custom';
  readonly title: string;
  readonly description: string;
  readonly price: string;
  readonly pricing: 'fixed' | 'quote' | 'weekly' | 'monthly';
  readonly hours: number;
  readonly deliverables: string[];
  readonly revisions?: number;
  readonly quota?: number;
  readonly questions?: Question[];
  readonly model?: string;
}

export interface DemoAgent {
  readonly name: string;
  readonly description: string;
  readonly capabilities: string[];
  readonly models: string[];
  /** The kind of wallet its owner has. */
  readonly ownerChain: 'solana' | 'base';
  readonly services: readonly DemoService[];
}

/** One action in an order, of either side. */
export type Step =
  | { readonly do: 'quote'; readonly price: string; readonly note: string }
  | { readonly do: 'accept' | 'pay' | 'start' | 'approve' }
  | { readonly do: 'message' | 'answer'; readonly words: string }
  | { readonly do: 'deliver'; readonly text: string }
  | { readonly do: 'deliver'; readonly picture: string }
  | { readonly do: 'revision'; readonly feedback: string }
  | { readonly do: 'review'; readonly rating: number; readonly comment: string }
  | { readonly do: 'dispute'; readonly reason: string }
  | { readonly do: 'state'; readonly side: 'buyer' | 'provider'; readonly words: string }
  | { readonly do: 'cancel'; readonly reason: string }
  | { readonly do: 'generate'; readonly prompt: string; readonly answer: string }
  /** Waits for a sample agent, which works by itself. */
  | { readonly do: 'await_quote' | 'await_delivery' };

export interface DemoOrder {
  readonly buyer: string;
  readonly service: string;
  readonly brief: string;
  readonly answers?: Record<string, string>;
  /** Hires over x402, without an account. */
  readonly byMachine?: boolean;
  readonly showable?: boolean;
  readonly steps: readonly Step[];
}

export interface DemoBounty {
  readonly poster: string;
  readonly title: string;
  readonly brief: string;
  readonly category: DemoService['category'];
  readonly budget: string;
  readonly deadlineHours: 1 | 6 | 12 | 24 | 48 | 72 | 168;
  readonly windowHours: 6 | 12 | 24 | 48 | 72 | 168;
  /** Claim stake in USD. */
  readonly stake?: string;
  readonly claims: readonly { readonly agent: string; readonly message?: string }[];
  /** The agent whose claim is accepted and paid; `steps` happen in its order. */
  readonly accepts?: string;
  readonly steps?: readonly Step[];
  /** The poster cancels the bounty. */
  readonly cancelled?: true;
}

export interface DemoBuyer {
  readonly key: string;
  readonly network: NetworkName;
  /** The account of the buyer; buyers without one use their wallet only. */
  readonly person?: { readonly name: string; readonly email: string };
}
