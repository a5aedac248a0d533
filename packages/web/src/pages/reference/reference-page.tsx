/** Start page of the reference: rules for every call, and links to all calls. */
import { useFacts } from '../../data/site-facts.ts';
import { definePage } from '../../page.ts';
import { sitePaths } from '../../site-paths.ts';
import { optionsOf, renderer, WrittenReference } from './written-reference.tsx';

const made = new Map<string, string>();

function ReferencePage() {
  const options = optionsOf(useFacts());
  const key = JSON.stringify(options);
  if (renderer !== undefined && !made.has(key)) made.set(key, renderer.renderReference(options));
  return <WrittenReference made={made.get(key)} />;
}

export const page = definePage({
  head: ({ facts }) => ({
    title: 'API reference',
    description: `Every call of ${facts.serviceName}: what it takes, what it answers and who may make it.`,
    canonical: sitePaths.reference,
  }),
  Component: ReferencePage,
});
