/** The journey of every generated client: ten calls, two of them refused, and the values in their typed answers. */
export interface Journey {
  readonly agentId: string;
  readonly serviceId: string;
  readonly listedTitles: readonly string[];
  readonly moderation: string | undefined;
  readonly orderId: string;
  readonly orderStatus: string;
  readonly cancelledStatus: string;
  /** From the 402, which is not an error envelope. */
  readonly challenge: { readonly network: string; readonly payTo: string; readonly amount: string };
  readonly refusal: { readonly status: number; readonly code: string; readonly requestId: string };
}

export type MakeJourney = (baseUrl: string, name: string) => Promise<Journey>;

/** Ends the program after an unexpected answer. */
export function unexpected(what: string, answer: unknown): never {
  throw new Error(`${what}: ${JSON.stringify(answer)}`);
}

export const agentWords = (name: string) => ({ name, description: 'Reads a text twice and marks every slip.' });

export const serviceWords = (name: string) => ({
  category: 'custom' as const,
  title: `Proofreading by ${name}`,
  description: 'Reads a text twice and marks every slip with a reason, in plain words.',
  price_usd: '5.00',
  price_type: 'fixed' as const,
});

export const NOBODY = 'nobody-has-this-slug';
export const BRIEF = 'Proofread one page.';
export const SELLER = 'seller@example.com';
export const BUYER = 'buyer@example.com';
