// A page that hosts apps of MCP servers, by the official library; bundled for the browser by the test, whose
// functions `callTool` and `context` are.
import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';

globalThis.sizes = [];
/** Shows the page, and what its tool was called with and answered. */
globalThis.showApp = async (html, args, result) => {
  const { document } = globalThis;
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', 'allow-scripts');
  document.body.append(frame);
  const bridge = new AppBridge(null, { name: 'test-host', version: '1.0.0' }, { serverTools: {}, updateModelContext: {} }, { hostContext: { theme: 'dark' } });
  bridge.oncalltool = (params) => globalThis.callTool(params);
  bridge.onupdatemodelcontext = async (params) => {
    await globalThis.context(params);
    return {};
  };
  bridge.onsizechange = (size) => void globalThis.sizes.push(size);
  const ready = new Promise((resolve) => {
    bridge.oninitialized = resolve;
  });
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.srcdoc = html;
  await ready;
  await bridge.sendToolInput({ arguments: args });
  await bridge.sendToolResult(result);
};
