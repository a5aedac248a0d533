import type { DehydratedState } from '@tanstack/react-query';
import type { PageFailure } from './router/page-visit.ts';
import type { SiteFacts, Theme } from './site.ts';

/** State that the server embeds in the page, so that the browser continues from it. */
export interface PageState {
  readonly facts: SiteFacts;
  readonly theme: Theme | undefined;
  /** Market time in milliseconds. */
  readonly now: number;
  readonly failure: PageFailure | undefined;
  readonly answers: DehydratedState;
}
