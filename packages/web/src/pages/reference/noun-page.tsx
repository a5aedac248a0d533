/** The calls of one noun of the API. */
import { MarketApiError } from '@market/sdk';
import { useFacts } from '../../data/site-facts.ts';
import { definePage, type PageProps } from '../../page.ts';
import type { SiteFacts } from '../../site.ts';
import { sitePaths } from '../../site-paths.ts';
import { optionsOf, renderer, WrittenReference } from './written-reference.tsx';

type NounParams = { noun: string };

const made = new Map<string, string>();

function markupOf(facts: SiteFacts, noun: string): string | undefined {
  const options = optionsOf(facts);
  const key = JSON.stringify([options, noun]);
  const markup = made.get(key) ?? renderer?.renderNoun(options, noun);
  if (markup !== undefined) made.set(key, markup);
  return markup;
}

function NounPage({ params }: PageProps<NounParams>) {
  return <WrittenReference made={markupOf(useFacts(), params.noun)} />;
}

export const page = definePage<NounParams>({
  load: async ({ facts, params }) => {
    if (import.meta.env.SSR && markupOf(facts, params.noun) === undefined)
      throw new MarketApiError({ status: 404, code: 'not_found', message: 'The API has no calls of this name.' });
  },
  head: ({ facts, params: { noun } }) => ({
    title: `${noun.charAt(0).toUpperCase()}${noun.slice(1)}, API reference`,
    description: `The calls of ${facts.serviceName} about ${noun}: what they take, what they answer and who may make them.`,
    canonical: sitePaths.noun(noun),
  }),
  Component: NounPage,
});
