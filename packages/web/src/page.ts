/** The definition of a page. A page file exports one as `page`. */
import type { QueryClient } from '@tanstack/react-query';
import type { ComponentType } from 'react';
import type { Answer, Arguments, AskName } from './data/answers.ts';
import type { SiteFacts } from './site.ts';

type Params = Readonly<Record<string, string>>;

export interface PageProps<P extends Params = Params> {
  readonly params: P;
  readonly search: URLSearchParams;
}

/** The context of `load`, on the server or in the browser before the page is shown. */
export interface PageContext<P extends Params = Params> extends PageProps<P> {
  readonly facts: SiteFacts;
  readonly queries: QueryClient;
  /** Asks the API and stores the answer for `useAnswer` with the same arguments. Throws the API's refusal. */
  ask<N extends AskName>(name: N, args: Arguments<N>): Promise<Answer<N>>;
  /** A stored answer. */
  known<N extends AskName>(name: N, args: Arguments<N>): Answer<N> | undefined;
}

export interface PageHead {
  /** The service's name is appended unless the title contains it. */
  readonly title: string;
  readonly description?: string;
  /** Path of the canonical URL of this content. */
  readonly canonical?: string;
  /** The preview picture for links. */
  readonly preview?: 'site' | 'agent' | 'service';
  /** Keeps the page out of search engines. */
  readonly unlisted?: true;
}

export interface PageDefinition<P extends Params = Params> {
  /** Fetches the page's data. A refusal with 404 becomes the not-found page. Not run on the server for signed-in pages. */
  load?(context: PageContext<P>): Promise<unknown>;
  head(context: PageContext<P>): PageHead;
  readonly Component: ComponentType<PageProps<P>>;
}

export function definePage<P extends Params = Params>(definition: PageDefinition<P>): PageDefinition {
  return definition as unknown as PageDefinition;
}

/** Thrown by `load` when the content has another URL. */
export class Moved extends Error {
  readonly location: string;
  readonly permanent: boolean;
  constructor(location: string, { permanent = false } = {}) {
    super(`moved to ${location}`);
    this.location = location;
    this.permanent = permanent;
  }
}
