// The protocol between the service and the demo process: one line in, many out.
import type { MarketAccess } from './market-access.ts';

/** The first line the process reads. It comes by standard input because it holds keys. */
export interface DemoOrderLine {
  readonly access: MarketAccess;
  /** The content was made before: only the sample agents are wanted. */
  readonly complete: boolean;
}

export type DemoReport = { readonly kind: 'progress'; readonly message: string } | { readonly kind: 'complete' };
