import { defineErrors } from '../kernel/errors.ts';

export const eventErrors = defineErrors({
  invalid_position: {
    kind: 'bad_request',
    message: 'This is no place in your events. Pass the seq or cursor of an event you received, or start without one.',
  },
  too_many_streams: {
    kind: 'rate_limited',
    message: 'You have as many event streams open as one caller may. Close one, or share a stream between your programs.',
  },
  streams_full: {
    kind: 'unavailable',
    message: 'This server holds as many event streams as it can. Try again shortly, or poll GET /api/events.',
  },
});
