// A page of its own puts the pieces of a frame together, so that captions and the pointer never touch the app.
import type { BrowserContext } from 'playwright';

/** A place in the window, in CSS pixels. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** What one frame shows. */
export interface Frame {
  /** The window, as a PNG. */
  readonly picture: Buffer;
  readonly pointer: Point;
  readonly isDown: boolean;
  readonly caption: string;
  /** A command in a terminal in front of the window, if any. */
  readonly command: string | undefined;
}

const CAPTION_HEIGHT = 52;
const MARGIN = 12;

const html = ({ width, height }: { width: number; height: number }) => `<!doctype html>
<style>
  body { margin: 0; background: #e9e8e4; color: #1c1917; font-family: system-ui, sans-serif; }
  #caption { height: ${CAPTION_HEIGHT}px; line-height: ${CAPTION_HEIGHT}px; text-align: center; font-size: 20px; font-weight: 600; }
  #window { position: relative; width: ${width}px; height: ${height}px; margin: 0 ${MARGIN}px; }
  #picture { display: block; width: 100%; height: 100%; border-radius: 10px; }
  #ring { position: absolute; width: 30px; height: 30px; margin: -15px; border-radius: 50%; background: #4150c455; }
  #pointer { position: absolute; margin: -1px -2px; }
  #terminal { position: absolute; left: 90px; right: 90px; bottom: 120px; padding: 20px 24px; border-radius: 10px; box-shadow: 0 8px 24px #1c191755;
    background: #1c1917; color: #fafaf9; font: 16px/1.6 ui-monospace, monospace; overflow-wrap: anywhere; }
  #prompt { color: #86efac; }
</style>
<div id="caption"></div>
<div id="window">
  <img id="picture" alt="">
  <div id="terminal"><span id="prompt">~/my-project $</span> <span id="command"></span></div>
  <div id="ring"></div>
  <svg id="pointer" width="20" height="24"><path d="M2 1v18l4.6-4.2 3 7 3.2-1.4-3-6.8H16z" fill="#1c1917" stroke="#fff" stroke-width="1.5"/></svg>
</div>`;

/** Opens the page that draws frames around windows of this size. */
export const openStage = async (context: BrowserContext, size: { width: number; height: number }) => {
  const page = await context.newPage();
  await page.setViewportSize({
    width: size.width + 2 * MARGIN,
    height: size.height + CAPTION_HEIGHT + MARGIN,
  });
  await page.setContent(html(size));
  return {
    /** Draws a frame, and saves it as a PNG. */
    async shoot({ picture, ...frame }: Frame, file: string): Promise<void> {
      await page.evaluate(
        async ({ url, pointer, isDown, caption, command }) => {
          const find = (id: string) => document.getElementById(id) as HTMLElement;
          const image = find('picture') as HTMLImageElement;
          image.src = url;
          await image.decode();
          find('caption').textContent = caption;
          find('terminal').hidden = command === undefined;
          find('command').textContent = command ?? '';
          find('ring').hidden = !isDown;
          for (const id of ['ring', 'pointer'])
            Object.assign(find(id).style, { left: `${pointer.x}px`, top: `${pointer.y}px` });
        },
        { ...frame, url: `data:image/png;base64,${picture.toString('base64')}` },
      );
      await page.screenshot({ path: file });
    },
  };
};
