import { useEffect, useRef, useState } from 'react';
import { ApiError, sendOwn } from '../../api/client.ts';
import type { BuiltRequest } from './build-request.ts';

/** How much of a response is read. */
const MAX_READ_BYTES = 2_000_000;
const STREAM_MS = 3000;

/** A response, with as much of its body as was read. */
export interface ReadResponse {
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly type: string;
  readonly text: string;
  readonly bytes: number;
  readonly durationMs: number;
  /** `cut`: the body was too long to read completely. `stream`: reading stopped while the stream was still open. */
  readonly end: 'complete' | 'cut' | 'stream';
}

/** The state of the last request. */
export type Sending =
  | { readonly state: 'idle' | 'sending' }
  | { readonly state: 'done'; readonly response: ReadResponse }
  | { readonly state: 'failed'; readonly message: string };

const readBody = async (response: Response, isStream: boolean) => {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  let isOver = false;
  const timer = isStream
    ? setTimeout(() => {
        isOver = true;
        void reader?.cancel();
      }, STREAM_MS)
    : undefined;
  try {
    while (reader) {
      const { done, value } = await reader.read();
      if (done) break;
      bytes += value.byteLength;
      text += decoder.decode(value, { stream: true });
      if (bytes < MAX_READ_BYTES) continue;
      await reader.cancel();
      return { text, bytes, end: 'cut' as const };
    }
  } finally {
    clearTimeout(timer);
  }
  return { text, bytes, end: isOver ? ('stream' as const) : ('complete' as const) };
};

const readResponse = async (request: BuiltRequest, signal: AbortSignal): Promise<ReadResponse> => {
  const sentMs = performance.now();
  const response = await sendOwn(request, signal);
  const type = response.headers.get('content-type') ?? '';
  const isStream = type.startsWith('text/event-stream');
  const headersMs = performance.now();
  const body = await readBody(response, isStream);
  return {
    status: response.status,
    statusText: response.statusText,
    headers: [...response.headers],
    type,
    ...body,
    durationMs: (isStream ? headersMs : performance.now()) - sentMs,
  };
};

/** Sends a route's request, and keeps its response until the next one. */
export const useSendRequest = (): {
  readonly sending: Sending;
  readonly send: (request: BuiltRequest) => void;
  readonly stop: () => void;
} => {
  const [sending, setSending] = useState<Sending>({ state: 'idle' });
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  return {
    sending,
    send: (request) => {
      running.current?.abort();
      const own = new AbortController();
      running.current = own;
      setSending({ state: 'sending' });
      readResponse(request, own.signal)
        .then((response) => !own.signal.aborted && setSending({ state: 'done', response }))
        .catch((error: unknown) => {
          if (own.signal.aborted) return;
          const message = error instanceof ApiError ? error.message : String(error);
          setSending({ state: 'failed', message });
        });
    },
    stop: () => {
      running.current?.abort();
      setSending({ state: 'idle' });
    },
  };
};
