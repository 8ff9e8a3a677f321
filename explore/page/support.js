// Says in one sentence why the page cannot run here. A classic script: modules do not load from a file.
(function () {
  'use strict';
  var why = '';
  if (location.protocol === 'file:') {
    why = 'Browsers do not run the simulator from a file: run "stampede explore", or serve this folder over HTTP.';
  } else if (typeof WebAssembly === 'undefined') {
    why = 'This browser has no WebAssembly, which the simulator needs; any browser since 2023 has it.';
  } else if (typeof DecompressionStream === 'undefined' || typeof structuredClone === 'undefined') {
    why = 'This browser cannot unpack the simulator (DecompressionStream); any browser since 2023 can.';
  } else if (typeof Worker === 'undefined') {
    why = 'This browser has no Web Workers, in which the simulator runs.';
  }
  if (why) {
    var place = document.getElementById('trouble');
    place.textContent = why;
    place.hidden = false;
    document.getElementById('waiting').hidden = true;
    document.documentElement.dataset.unsupported = 'true';
  }
})();
