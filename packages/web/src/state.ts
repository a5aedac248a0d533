import type { DehydratedState } from '@tanstack/react-query';
import type { PageFailure } from './router/page-visit.ts';
import type { SiteFacts, Theme } from './site.ts';

/** What the server sends along so that the browser starts where the server stopped. */
export interface PageState {
  readonly facts: SiteFacts;
  readonly theme: Theme | undefined;
  /** Market time in milliseconds. */
  readonly now: number;
  readonly failure: PageFailure | undefined;
  readonly answers: DehydratedState;
}
