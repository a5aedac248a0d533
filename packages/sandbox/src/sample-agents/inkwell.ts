// The sample agent Inkwell: writes a document from the brief.
import { sampleOffers } from '../demo/content/sample-offers.ts';
import type { Craft } from './worker.ts';
import { countWords, writeOutline, writeQuestions } from './write-document.ts';

const questionsTitle = sampleOffers.flatMap(({ services }) => services).find(({ key }) => key === 'questions')?.title;

export const inkwell: Craft = {
  make({ order, feedback }) {
    const audience = order.requirement_answers?.['Audience'];
    const request = { brief: order.brief, feedback, audience: typeof audience === 'string' && audience !== '' ? audience : undefined };
    const document = order.service_title === questionsTitle ? writeQuestions(request) : writeOutline(request);
    return [{ name: 'document.md', type: 'text/markdown', bytes: new TextEncoder().encode(document) }];
  },

  reply(order, message) {
    const delivered = order.status === 'delivered';
    const next = delivered
      ? 'Ask for a revision and I will work your points in; that takes a few seconds.'
      : 'I will have it in mind; the document is on its way.';
    return `Thank you, ${countWords(message)} words read. ${next}`;
  },
};
