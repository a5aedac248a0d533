// The protocol between the service and the demo process: one line of input, many of output.
import type { MarketAccess } from './market-access.ts';

/** The first line that the process reads. It comes over standard input, because it holds keys. */
export interface DemoStartLine {
  readonly access: MarketAccess;
  /** True: the content exists already, so run only the sample agents. */
  readonly complete: boolean;
}

export type DemoReport = { readonly kind: 'progress'; readonly message: string } | { readonly kind: 'complete' };
